"""What is said about each check: its name, and what is done, in a line."""

CHECK_TEXTS: dict[str, tuple[str, str]] = {
    "shape": ("Shape", "each array has the sizes it must have"),
    "row sums": ("Row sums", "each row of weights sums to 1"),
    "key order": ("Key order", "keys in another order, with values and mask columns: same output"),
    "future": ("Future", "causal mask, another last word: earlier outputs stay"),
    "padding": ("Padding", "other pads: outputs of real words stay"),
    "shift": ("Shift", "one vector added to all keys, which shifts each row of scores: same output"),
    "large scores": ("Large scores", "queries 10,000 times as large: no nan"),
    "dead row": ("Dead row", "a query with no allowed key: 0"),
    "cache": ("Cache", "word by word, against kept keys and values: as all at once"),
    "spread": ("Spread", "queries and keys of spread 1: scaled scores too, at two lengths"),
    "W_O": ("W_O", "W_O = 0: output 0"),
    "heads apart": ("Heads apart", "W_O the identity, W_V of head 1 shifted: columns of head 0 stay"),
}
