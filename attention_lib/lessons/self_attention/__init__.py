"""The lesson of notebook 01."""

NUMBER = "01"
