"""Stands in front of a package that builds 38 parsers as it is imported, 1.5 s in every process that reads a notebook.

`jsonschema` takes it where it is there, for addresses of a kind that no schema of Jupyter asks for.
"""

raise ImportError("left out while tests run")
