"""The lesson of notebook 15."""

NUMBER = "15"
