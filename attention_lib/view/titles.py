"""What readers call the panels, meanings and axes of the labs: a name is an identity, and is never shown."""

TITLES = {
    "X": "X",
    "context": "context",
    "W_Q": "W_Q",
    "W_K": "W_K",
    "W_V": "W_V",
    "W_O": "W_O",
    "Q": "Q",
    "K": "K",
    "V": "V",
    "scores": "scores",
    "scaled scores": "scaled scores",
    "weights": "weights",
    "output": "output",
    "rows": "rows",
    "enlarged": "enlarged",
    "terms": "terms",
    "ΔE": "ΔE",
    "ΔE as made": "ΔE as made",
    "E'": "E'",
    "meaning": "meaning",
    "right": "right",
    "wrong": "wrong",
    "difference": "difference",
    "right output": "right output",
    "wrong output": "wrong output",
    "output difference": "output difference",
    "pear": "pear",
    "belly": "belly",
    "ship": "ship",
}

#: What the rows or the columns of a panel are.
AXES = {
    "query": "query",
    "key": "key",
    "token": "token",
    "word": "word",
    "feature": "feature",
    "meaning": "meaning",
    "dimension": "dim",
    "column": "column",
    "column of concat": "column of concat",
    "term": "term",
    "entry": "entry",
    "pair": "pair",
    "score": "score",
    "dtype": "dtype",
    "divisor": "divisor",
    "statistic": "statistic",
    "step": "step",
    "layer": "layer",
    "head": "head",
    "from": "from",
    "to": "to",
    "row of": "row of",
    "means": "means",
    "": "",
}


def axis_called(axis: str) -> str:
    """Return what readers call an axis; one that is not in the table is called by its name.

    Examples
    --------
    >>> axis_called("dimension"), axis_called("month")
    ('dim', 'month')
    """
    return AXES.get(axis, axis)
