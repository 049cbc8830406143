"""The live layer: one matrix view, and the labs built on it."""

from .matrix_view import Cell, Edit, MatrixView
from .panel import Category, Panel

__all__ = ["Category", "Cell", "Edit", "MatrixView", "Panel"]
