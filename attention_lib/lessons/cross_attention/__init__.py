"""The lesson of notebook 04."""

NUMBER = "04"
