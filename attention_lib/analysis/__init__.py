"""What stands around the math: costs, statistics, masks as other libraries write them; NumPy alone."""
