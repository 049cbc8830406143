"""The lesson of notebook 07."""

NUMBER = "07"
