"""One module a notebook for its exercises, and one for its predictions."""
