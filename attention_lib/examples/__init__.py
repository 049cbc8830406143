"""Sentences and layers to calculate with: everything that reads `data`."""
