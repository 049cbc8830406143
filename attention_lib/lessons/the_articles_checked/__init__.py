"""The lesson of notebook 12."""

NUMBER = "12"
