"""What several notebooks calculate with: sentences and models from `data`, measures of a map, costs; NumPy alone."""
