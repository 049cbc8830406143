"""The lesson of notebook 09."""

NUMBER = "09"
