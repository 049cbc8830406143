"""The lesson of notebook 03."""

NUMBER = "03"
