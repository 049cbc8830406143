"""The lesson of notebook 08."""

NUMBER = "08"
