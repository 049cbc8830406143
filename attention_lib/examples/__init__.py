"""What several notebooks calculate with: sentences and models from `data`, and measures of a map; NumPy alone."""
