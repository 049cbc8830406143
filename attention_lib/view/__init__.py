"""The live layer: one matrix view, and the labs built on it."""

from .. import _notebooks  # noqa: F401  (says what is missing)
from .matrix_view import Cell, Edit, MatrixView
from .one_thread import hear_on_one_thread
from .panel import Category, Panel

__all__ = ["Category", "Cell", "Edit", "MatrixView", "Panel"]

hear_on_one_thread()
