"""The backward pass, tasks to learn, and the training loop; NumPy alone."""
