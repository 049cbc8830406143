"""The lesson of notebook 05."""

NUMBER = "05"
