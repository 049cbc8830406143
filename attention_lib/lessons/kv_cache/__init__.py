"""The lesson of notebook 06."""

NUMBER = "06"
