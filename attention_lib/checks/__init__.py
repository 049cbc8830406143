"""Predictions and exercises: what a learner commits to, and what a check says about it."""

from .cells import exercise_cells
from .judging import check
from .registry import exercise_names, exercises
from .result import CheckResult

__all__ = ["CheckResult", "check", "exercise_cells", "exercise_names", "exercises"]
