"""The lesson of notebook 02."""

NUMBER = "02"
