"""The lesson of notebook 11."""

NUMBER = "11"
