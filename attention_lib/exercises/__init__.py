"""Predictions and exercises: what a learner commits to, and what a check says about it."""

from .cells import exercise_cells, notebook_cells
from .diagnose import check
from .registry import EXERCISES, exercise_names
from .result import CheckResult

__all__ = ["EXERCISES", "CheckResult", "check", "exercise_cells", "exercise_names", "notebook_cells"]
