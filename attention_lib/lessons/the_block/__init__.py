"""The lesson of notebook 13."""

NUMBER = "13"
