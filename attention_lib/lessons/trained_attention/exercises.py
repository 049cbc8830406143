"""The exercises of notebook 07: what arrives, an ablation with a bug, rollout."""

import numpy as np

from ...checks.exercise import Arguments, Exercise, normal, shares


def arriving_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw maps and values of unequal lengths: one head, as many heads as tokens, maps that are not square."""
    sizes = [(2, 3, 3, 2), (3, 3, 3, 3), (1, 4, 4, 5), (4, 2, 5, 3)]  # h, n_queries, n_keys, d_v
    cases = [(np.array([[[0.75, 0.25], [0.5, 0.5]]]), np.array([[[0.0, 1.0], [0.0, 9.0]]]))]
    for h, n_queries, n_keys, d_v in sizes:
        stretch = rng.uniform(0.1, 3, (h, n_keys, 1))
        cases.append((shares(rng, h, n_queries, n_keys), normal(rng, h, n_keys, d_v) * stretch))
    return cases


what_arrives = Exercise(
    title="What arrives",
    difficulty=2,
    minutes=8,
    task="""Write `what_arrives(weights, V)` for all heads at once: the weights are (h, n_queries, n_keys), and the
values are (h, n_keys, d_v). Multiply each weight by the length of its value, and divide each row of these products by
its sum. The result is again (h, n_queries, n_keys), and each of its rows sums to 1.

For the weights `[0.75, 0.25]` and values of lengths 1 and 9, the row is `[0.25, 0.75]`.""",
    solution="""
def what_arrives(weights, V):  # (h, n_queries, n_keys), (h, n_keys, d_v)
    lengths = np.linalg.norm(V, axis=-1)  # (h, n_keys)
    arriving = weights * lengths[:, None, :]  # the same lengths for every query
    return arriving / arriving.sum(axis=-1, keepdims=True)  # (h, n_queries, n_keys)
""",
    hints=(
        "A length belongs to a key. Which axis of the weights is the key axis, and where do the lengths need a new "
        "axis?",
        "`np.linalg.norm(V, axis=-1)[:, None, :]` is (h, 1, n_keys). Multiply the weights by it, and then divide each "
        "row by its sum.",
    ),
    why="If a value is short, little of it arrives, even with a large weight. This measure ignores the directions of "
    "the values, so two long values can still cancel each other.",
    cases=arriving_cases,
)

mended_ablation = Exercise(
    title="Find the bug",
    difficulty=2,
    minutes=8,
    task="""`mended_ablation(head_outputs, W_O, head)` should return the output of the layer after one change: at every
token, the output of one head is replaced by the mean of that output over all tokens. (The mean is often used in place
of 0, because later layers may never have seen zeros in training.) The function runs, its result has the right
shape, and the input is left unchanged. One line is wrong. Find it and fix it.""",
    solution="""
def mended_ablation(head_outputs, W_O, head):  # (h, n, d_v), (h*d_v, d_out), which head
    outputs = head_outputs.copy()
    outputs[head] = head_outputs[head].mean(axis=0)  # (d_v,), the same for every token
    concat = np.concatenate(list(outputs), axis=-1)  # (n, h*d_v)
    return concat @ W_O  # (n, d_out)
""",
    bug={"head_outputs[head].mean(axis=0)  # (d_v,), the same for every token": "head_outputs.mean(axis=0)"},
    hints=(
        "What should all rows of the replaced head have in common? Print `outputs[head]`.",
        "Which axis of `head_outputs` is the token axis? And which axis is it once you have chosen one head?",
    ),
    why="While all the heads are still in the array, the mean over axis 0 mixes different heads, token by token. "
    "NumPy broadcasts either shape without complaint, and the two outputs look equally plausible.",
    cases=lambda rng: [
        (normal(rng, h, n, d_v), normal(rng, h * d_v, d_out), head)
        for h, n, d_v, d_out, head in [(2, 2, 1, 2, 0), (2, 2, 2, 4, 1), (3, 4, 2, 6, 2), (4, 3, 2, 5, 1)]
    ],
)


def causal_map(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw the weights of a causal map."""
    exps = np.tril(np.exp(rng.standard_normal((n, n))))
    return exps / exps.sum(axis=-1, keepdims=True)


rollout = Exercise(
    title="Through all the layers",
    difficulty=2,
    minutes=8,
    task="""Each layer mixes rows that the layers before it have already mixed. **Attention rollout** follows this
through all the layers. It assumes that in each layer the row of a word keeps a share `kept` of itself, because of the
skip connection, and takes the rest from all the rows, in proportion to its weights.

Write `rollout(maps, kept)`. The maps are (n_layers, n, n), one for each layer. In the result, (n, n), entry [i, j]
says how much of the row that word j had before layer 0 is in the row of word i after the last layer.

With two maps `[[1, 0], [1, 0]]` and `kept = 0.75`, the answer is `[[1, 0], [0.4375, 0.5625]]`.""",
    solution="""
def rollout(maps, kept):  # (n_layers, n, n), a number from 0 to 1
    identity = np.eye(maps.shape[-1])
    mixed = identity  # before layer 0, each row is only itself
    for weights in maps:
        mixed = (kept * identity + (1 - kept) * weights) @ mixed
    return mixed  # (n, n)
""",
    hints=(
        "Before layer 0, each row contains only itself. Which matrix says that? What does one layer do to it?",
        "One layer is `kept * np.eye(n) + (1 - kept) * weights`. Multiply the matrices, the last layer on the left.",
    ),
    why="Rollout would be the whole story if layers only mixed rows and always kept the same share.",
    cases=lambda rng: [
        (np.array([[[1.0, 0.0], [1.0, 0.0]]] * 2), 0.75),
        (shares(rng, 1, 3, 3), 0.75),
        (shares(rng, 2, 2, 2), 0.25),
        (shares(rng, 3, 4, 4), 0.5),
        (np.stack([causal_map(rng, 5) for _ in range(4)]), 0.8),
    ],
)
