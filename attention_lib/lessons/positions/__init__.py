"""The lesson of notebook 10."""

NUMBER = "10"
