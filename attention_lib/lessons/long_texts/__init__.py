"""The lesson of notebook 14."""

NUMBER = "14"
