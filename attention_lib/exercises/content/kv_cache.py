"""What notebook 06 asks: append, decode one token, decode all, the mask with a cache, a window, its size."""

from typing import Any

import numpy as np

from ...attention import scaled_dot_product_attention
from ...masks import causal_mask
from ...mistakes.recipes import RIGHT, Recipe, attend, attention_map, plain_softmax, recipe_of, with_mistakes
from ..exercise import Arguments, Exercise, Function, normal
from ..predictions import Question

NOTEBOOK = "06_kv_cache"


# 1. Append


def append_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw a cache and pieces of new rows; the first cache is not empty, the last is."""
    shapes = [(1, [1], 2), (2, [2], 2), (2, [1, 1], 3), (3, [2, 1], 2), (0, [1, 1, 1], 2)]  # cached, new, d
    return [(normal(rng, n, d), [normal(rng, m, d) for m in new]) for n, new, d in shapes]


def play_append(call: Function, cache: Any, pieces: Any) -> Any:
    """Append piece after piece; the memory of a new piece is used again for the next, as a decoder does."""
    room = np.zeros((max(map(len, pieces)), cache.shape[1]))
    for piece in pieces:
        new = room[: len(piece)]
        new[:] = piece
        longer = call(cache, new)
        room[:] = np.nan  # before anything is copied: a list of rows may share this memory as well as an array may
        cache = np.asarray(longer)
    return cache


def append_row_by_row(cache: Any, new: Any) -> Any:
    """Build a list of rows."""
    return [list(row) for row in cache] + [list(row) for row in new]


def append_into_room(cache: Any, new: Any) -> Any:
    """Make room first, then fill it."""
    cache = np.asarray(cache)
    longer = np.empty((len(cache) + len(new), new.shape[1]))
    longer[: len(cache)], longer[len(cache) :] = cache, new
    return longer


def overwrite_last(cache: Any, new: Any) -> Any:
    """Write the new rows over the last ones."""
    if len(cache) < len(new):
        return new.copy()
    return np.concatenate([cache[: len(cache) - len(new)], new])


def overwrite_in_copy(cache: Any, new: Any) -> Any:
    """Write the new rows over the last ones, without a thought for an empty cache."""
    cache = cache.copy()
    cache[-len(new) :] = new
    return cache


APPEND = Exercise(
    name="append_rows",
    notebook=NOTEBOOK,
    title="Append to a cache",
    difficulty=1,
    minutes=3,
    spec="""Write `append_rows(cache, new)`. It returns a cache with the new rows after the old ones,
(n_cached + n_new, d). The cache may be empty, (0, d). The caller uses the memory of `new` again for the next
token, so the result must not share it.""",
    stub="""
def append_rows(cache, new):  # (n_cached, d), (n_new, d)
    return ...  # (n_cached + n_new, d)
""",
    solution="""
def append_rows(cache, new):
    return np.concatenate([cache, new])  # always a new array
""",
    hints=(
        "Rows are tokens, so the new rows come below the old ones.",
        "`np.concatenate([cache, new])` joins along axis 0 and makes a new array, also for an empty cache.",
    ),
    why="np.concatenate copies everything at every token. The library's `KVCache` writes into room made beforehand.",
    cases=append_cases,
    others=(append_row_by_row, append_into_room, lambda cache, new: np.vstack([cache, new])),
    wrong={
        "cache_overwrites": (overwrite_last, overwrite_in_copy),
        "cache_replaced": lambda cache, new: new.copy(),
        "cache_prepended": lambda cache, new: np.concatenate([new, cache]),
        "cache_along_features": lambda cache, new: np.concatenate([cache, new], axis=1),
        "cache_unchanged": lambda cache, new: cache.copy(),
        "cache_aliases": (
            lambda cache, new: np.concatenate([cache, new]) if len(cache) else new,
            lambda cache, new: [*cache, *new],
        ),
        "rows_added_up": lambda cache, new: cache + new,
        "one_row_too_few": lambda cache, new: np.concatenate([cache, new[:1]]),
    },
    play=play_append,
    hand=lambda cache, pieces: (cache, pieces[0]),
)


# 2. One token


def token_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw q, k, v of a new token and the caches, the first of one token, one of them empty."""
    shapes = [(1, 2, 2), (2, 2, 1), (0, 3, 2), (3, 9, 2), (6, 5, 4)]  # cached, d_k, d_v
    return [
        (normal(rng, d_k), normal(rng, d_k), normal(rng, d_v), normal(rng, n, d_k), normal(rng, n, d_v))
        for n, d_k, d_v in shapes
    ]


def token_with(recipe: Recipe, q: Any, k: Any, v: Any, K_cache: Any, V_cache: Any) -> Any:
    """Follow a recipe for the new token."""
    K, V = np.vstack([K_cache, k]), np.vstack([V_cache, v])
    return attend(recipe, q[None], K, V)[0], K, V


ONE_ROW = (
    "not_scaled",
    "scaled_by_d_k",
    "half_power",
    "divided_by_twice_d_k",
    "multiplied",
    "scaled_by_root_n",
    "softmax_missing",
    "sum_missing",
    "exp_missing",
)


def token_from_lists(q: Any, k: Any, v: Any, K_cache: Any, V_cache: Any) -> Any:
    """Keep lists of rows."""
    keys, values = [*K_cache, k], [*V_cache, v]
    weights = plain_softmax(np.array([key @ q for key in keys]) / len(q) ** 0.5)
    return sum(w * value for w, value in zip(weights, values)), keys, values


def token_too_late(q: Any, k: Any, v: Any, K_cache: Any, V_cache: Any) -> Any:
    """Attend first, then append."""
    output = attend(RIGHT, q[None], K_cache, V_cache)[0]
    return output, np.vstack([K_cache, k]), np.vstack([V_cache, v])


def token_keeping_q(q: Any, k: Any, v: Any, K_cache: Any, V_cache: Any) -> Any:
    """Append q to the keys."""
    K, V = np.vstack([K_cache, q]), np.vstack([V_cache, v])
    return attend(RIGHT, q[None], K, V)[0], K, V


def token_overwriting(q: Any, k: Any, v: Any, K_cache: Any, V_cache: Any) -> Any:
    """Write over the last row."""
    return token_with(RIGHT, q, k, v, K_cache[:-1], V_cache[:-1])


def token_overwriting_in_copy(q: Any, k: Any, v: Any, K_cache: Any, V_cache: Any) -> Any:
    """Write over the last row, without a thought for an empty cache."""
    K, V = overwrite_in_copy(K_cache, k[None]), overwrite_in_copy(V_cache, v[None])
    return attend(RIGHT, q[None], K, V)[0], K, V


def token_not_kept(q: Any, k: Any, v: Any, K_cache: Any, V_cache: Any) -> Any:
    """Give the old caches back."""
    return token_with(RIGHT, q, k, v, K_cache, V_cache)[0], K_cache.copy(), V_cache.copy()


ONE_TOKEN = Exercise(
    name="decode_one",
    notebook=NOTEBOOK,
    title="Decode one token",
    difficulty=2,
    minutes=8,
    spec="""Write `decode_one(q, k, v, K_cache, V_cache)` for one new token. It returns `(output, K_cache,
V_cache)`: the new token's output, (d_v,), and both caches with the new row appended. The new token attends to
all cached tokens and to itself.""",
    stub="""
def decode_one(q, k, v, K_cache, V_cache):  # (d_k,), (d_k,), (d_v,), (n_cached, d_k), (n_cached, d_v)
    return ...  # output (d_v,), K_cache (n_cached + 1, d_k), V_cache (n_cached + 1, d_v)
""",
    solution="""
def decode_one(q, k, v, K_cache, V_cache):
    K_cache = np.concatenate([K_cache, k[None, :]])  # (n_cached + 1, d_k)
    V_cache = np.concatenate([V_cache, v[None, :]])  # (n_cached + 1, d_v)
    exps = np.exp(K_cache @ q / np.sqrt(len(q)))  # (n_cached + 1,)
    return exps / exps.sum() @ V_cache, K_cache, V_cache
""",
    hints=(
        "Append before you attend: the last key is the token's own.",
        "`k[None, :]` makes k one row of a matrix. The rest is `one_query` of notebook 01, with the caches as K and V.",
    ),
    why="q is used once and dropped. k and v stay, since every later token will read them.",
    cases=token_cases,
    others=(token_from_lists, lambda *arguments: token_with(RIGHT, *arguments)),
    wrong=with_mistakes(token_with, *ONE_ROW)
    | {
        "caches_exchanged": lambda q, k, v, K, V: (
            *token_with(RIGHT, q, k, v, K, V)[:1],
            np.vstack([V, v]),
            np.vstack([K, k]),
        ),
        "cache_prepended": lambda q, k, v, K, V: (
            token_with(RIGHT, q, k, v, K, V)[0],
            np.vstack([k, K]),
            np.vstack([v, V]),
        ),
        "keys_mixed": lambda q, k, v, K, V: (
            attend(RIGHT, q[None], np.vstack([K, k]), np.vstack([K, k]))[0],
            np.vstack([K, k]),
            np.vstack([V, v]),
        ),
        "weights_returned": lambda q, k, v, K, V: (
            attention_map(RIGHT, q[None], np.vstack([K, k])).weights[0],
            np.vstack([K, k]),
            np.vstack([V, v]),
        ),
        "own_token_alone": lambda q, k, v, K, V: (v.copy(), np.vstack([K, k]), np.vstack([V, v])),
        "keys_not_appended": lambda q, k, v, K, V: (token_with(RIGHT, q, k, v, K, V)[0], K.copy(), np.vstack([V, v])),
        "row_kept": lambda q, k, v, K, V: (
            token_with(RIGHT, q, k, v, K, V)[0][None],
            np.vstack([K, k]),
            np.vstack([V, v]),
        ),
        "forgets_new_token": token_too_late,
        "values_not_appended": lambda q, k, v, K, V: (*token_with(RIGHT, q, k, v, K, V)[:2], V.copy()),
        "cache_keeps_Q": token_keeping_q,
        "cache_overwrites": (token_overwriting, token_overwriting_in_copy),
        "cache_unchanged": token_not_kept,
    },
    parts=("output", "K_cache", "V_cache"),
)


# 3. All tokens


def text_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw X and projections."""
    shapes = [(2, 2, 2, 1), (3, 2, 3, 2), (1, 3, 2, 2), (5, 4, 9, 3), (4, 6, 6, 6)]  # n, d_model, d_k, d_v
    return [(normal(rng, n, d), *(normal(rng, d, width) / 2 for width in (d_k, d_k, d_v))) for n, d, d_k, d_v in shapes]


def play_text(call: Function, X: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    """Hand over a `project` that counts the rows it is given, one at a time or many."""
    project = Projecting(W_Q, W_K, W_V)
    return call(X, project), project.rows


class Projecting:
    """Makes q, k and v of a row, and counts the rows."""

    def __init__(self, W_Q: Any, W_K: Any, W_V: Any) -> None:
        self.W_Q, self.W_K, self.W_V, self.rows = W_Q, W_K, W_V, 0

    def __call__(self, x: Any) -> Any:
        self.rows += np.size(x) // len(self.W_Q)
        return x @ self.W_Q, x @ self.W_K, x @ self.W_V

    def __repr__(self) -> str:
        return "project"


def decode_into_room(X: Any, project: Function) -> Any:
    """Make room for all keys and values first."""
    rows, room = [], None
    for i, x in enumerate(X):
        q, k, v = project(x)
        if room is None:
            room = np.zeros((len(X), len(k))), np.zeros((len(X), len(v)))
        room[0][i], room[1][i] = k, v
        rows.append(scaled_dot_product_attention([q], room[0][: i + 1], room[1][: i + 1]).output[0])
    return np.array(rows)


def decode_then_mask(X: Any, project: Function) -> Any:
    """Project each token once, then attend with a causal mask."""
    Q, K, V = (np.array(rows) for rows in zip(*map(project, X)))
    return scaled_dot_product_attention(Q, K, V, is_causal=True).output


def decode_recomputing(X: Any, project: Function) -> Any:
    """Project the whole past again for every token."""
    rows = []
    for i in range(len(X)):
        Q, K, V = (np.array(part) for part in zip(*map(project, X[: i + 1])))
        rows.append(attend(RIGHT, Q[-1:], K, V)[0])
    return np.array(rows)


def decode_as(recipe: Recipe, X: Any, project: Function) -> Any:
    """Follow a recipe with a causal mask, each token projected once."""
    Q, K, V = (np.array(rows) for rows in zip(*map(project, X)))
    return attend(recipe, Q, K, V, recipe.causal(len(X), len(X)))


def decode_seeing_all(X: Any, project: Function) -> Any:
    """Use no mask."""
    Q, K, V = (np.array(rows) for rows in zip(*map(project, X)))
    return attend(RIGHT, Q, K, V)


def decode_too_late(X: Any, project: Function) -> Any:
    """Attend first, then append; the first token, with nothing to read, takes its own value."""
    Q, K, V = (np.array(rows) for rows in zip(*map(project, X)))
    return np.array([V[0], *(attend(RIGHT, Q[i : i + 1], K[:i], V[:i])[0] for i in range(1, len(X)))])


def decode_keeping_q(X: Any, project: Function) -> Any:
    """Keep queries in place of keys."""
    Q, _, V = (np.array(rows) for rows in zip(*map(project, X)))
    return attend(RIGHT, Q, Q, V, causal_mask(len(X)))


def decode_recomputing_at_once(X: Any, project: Function) -> Any:
    """Project the whole past again for every token, in one call."""
    rows = []
    for i in range(len(X)):
        Q, K, V = project(X[: i + 1])
        rows.append(attend(RIGHT, Q[-1:], K, V)[0])
    return np.array(rows)


def decode_mixing_keys(X: Any, project: Function) -> Any:
    """Mix the keys in place of the values."""
    Q, K, _ = (np.array(rows) for rows in zip(*map(project, X)))
    return attend(RIGHT, Q, K, K, causal_mask(len(X)))


ALL_TOKENS = Exercise(
    name="decode_all",
    notebook=NOTEBOOK,
    title="A decoding loop with a cache",
    difficulty=3,
    minutes=15,
    spec="""Write `decode_all(X, project)`: go through the rows of X in order, as a decoder does. `project(x)`
returns q, k and v of one row; call it once for each token and keep k and v. Token i attends to tokens 0 to i.
It returns all outputs, (n, d_v).

The check counts the rows that `project` is given. You may use your own `decode_one`.""",
    stub="""
def decode_all(X, project):  # (n, d_model), a function: row -> q, k, v
    return ...  # (n, d_v)
""",
    solution="""
def decode_all(X, project):
    keys, values, outputs = [], [], []
    for x in X:
        q, k, v = project(x)
        keys.append(k)
        values.append(v)
        scaled_scores = np.array(keys) @ q / np.sqrt(len(q))  # (i + 1,)
        exps = np.exp(scaled_scores - scaled_scores.max())
        outputs.append(exps / exps.sum() @ np.array(values))  # (d_v,)
    return np.array(outputs)  # (n, d_v)
""",
    hints=(
        "Two lists grow by one row a token: keys and values. What does the newest query do with them?",
        (
            "In the loop: `q, k, v = project(x)`, append k and v, then attention "
            "of q over `np.array(keys)` and `np.array(values)`."
        ),
    ),
    why="No mask is needed: at step i the later keys are not in the cache yet. The result equals the full causal pass.",
    cases=text_cases,
    others=(decode_into_room, decode_then_mask),
    wrong=with_mistakes(decode_as, *ONE_ROW, "causal_excludes_itself", "causal_sees_next", "causal_reversed")
    | {
        "recomputes": (decode_recomputing, decode_recomputing_at_once),
        "only_itself": lambda X, project: np.array([project(x)[2] for x in X]),
        "keys_mixed": decode_mixing_keys,
        "sees_the_future": decode_seeing_all,
        "forgets_new_token": decode_too_late,
        "cache_keeps_Q": decode_keeping_q,
        "last_output_only": lambda X, project: decode_then_mask(X, project)[-1],
    },
    parts=("answer", "number of rows given to project"),
    counts=1,
    counted_too_often="recomputes",
    play=play_text,
    hand=lambda X, W_Q, W_K, W_V: (X, Projecting(W_Q, W_K, W_V)),
)


# 4. The mask with a cache


def cached_mask_cases(rng: np.random.Generator) -> list[Arguments]:
    """Give numbers of new and cached tokens."""
    return [(1, 2), (2, 1), (3, 0), (2, 4), (4, 3), (int(rng.integers(2, 5)), int(rng.integers(1, 6)))]


def cached_mask_in_loops(n_new: int, n_cached: int) -> Any:
    """Fill the mask entry by entry."""
    return [[key <= n_cached + query for key in range(n_cached + n_new)] for query in range(n_new)]


def cached_as(name: str) -> Function:
    """Return the causal mask of a recipe for new tokens."""
    return lambda n_new, n_cached: recipe_of(name).causal(n_new, n_cached + n_new)


def blocks_of(old: bool, new: Function) -> Function:
    """Put a constant for the cached keys beside a square mask for the new ones."""
    return lambda n_new, n_cached: np.hstack([np.full((n_new, n_cached), old), new(n_new)])


CACHED_MASK = Exercise(
    name="mask_for_new_tokens",
    notebook=NOTEBOOK,
    title="The causal mask with a cache",
    difficulty=2,
    minutes=5,
    spec="""n_new tokens come in at once while n_cached are in the cache. Write `mask_for_new_tokens(n_new,
n_cached)`: bool, (n_new, n_cached + n_new), True where a new token (row) may attend: to everything cached, to
itself, and to new tokens before it.

For 2 new tokens and 1 cached it is `[[True, True, False], [True, True, True]]`.""",
    stub="""
def mask_for_new_tokens(n_new, n_cached):
    return ...  # (n_new, n_cached + n_new) of bool
""",
    solution="""
def mask_for_new_tokens(n_new, n_cached):
    query = n_cached + np.arange(n_new)[:, None]  # positions in the whole text
    key = np.arange(n_cached + n_new)[None, :]
    return key <= query
""",
    hints=(
        "Which position in the whole text does new token 0 have?",
        "It is n_cached. Compare key positions with n_cached + row, as in a causal mask.",
    ),
    why="The last query lines up with the last key. A mask lined up at the top left would hide most of the cache.",
    cases=cached_mask_cases,
    others=(
        cached_mask_in_loops,
        lambda n_new, n_cached: np.tri(n_new, n_cached + n_new, k=n_cached, dtype=bool),
        lambda n_new, n_cached: causal_mask(n_cached + n_new)[n_cached:],
    ),
    wrong={
        name: cached_as(name)
        for name in ("causal_top_left", "causal_excludes_itself", "causal_sees_next", "causal_reversed")
    }
    | {
        "mask_inverted": lambda n_new, n_cached: ~causal_mask(n_new, n_cached + n_new),
        "new_tokens_see_all": blocks_of(True, lambda n: np.ones((n, n), dtype=bool)),
        "cache_hidden": blocks_of(False, causal_mask),
        "new_tokens_first": lambda n_new, n_cached: np.hstack(
            [causal_mask(n_new), np.ones((n_new, n_cached), dtype=bool)]
        ),
        "whole_text": lambda n_new, n_cached: causal_mask(n_new + n_cached),
        "only_new_keys": lambda n_new, n_cached: causal_mask(n_new),
        "only_itself": lambda n_new, n_cached: np.eye(n_new, n_new + n_cached, n_cached, dtype=bool),
    },
)


# 5. A window that moves


def slide_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw rows that come in one at a time, and windows."""
    return [(normal(rng, n, 2), window) for n, window in [(2, 1), (3, 2), (2, 4), (6, 3)]]


def play_slide(call: Function, rows: Any, window: int) -> Any:
    """Start with an empty cache and let the rows come in; return the cache after each."""
    cache, states = rows[:0], []
    for row in rows:
        cache = np.asarray(call(cache, row, window), dtype=float)
        states.append(
            np.vstack([cache.reshape(-1, rows.shape[1]), np.zeros((2 * len(rows), rows.shape[1]))])[: len(rows)]
        )
    return np.array(states), len(cache)


def slide_in_place(cache: Any, row: Any, window: int) -> Any:
    """Drop the oldest first, if there is no room."""
    kept = list(cache)
    while len(kept) >= window:
        kept.pop(0)
    return np.array([*kept, row])


def slide_keeping(keep: Function) -> Function:
    """Append, then keep a part."""
    return lambda cache, row, window: keep(np.vstack([cache, row]), window)


SLIDE = Exercise(
    name="slide_window",
    notebook=NOTEBOOK,
    title="A cache that forgets",
    difficulty=2,
    minutes=6,
    spec="""Write `slide_window(cache, row, window)`: append the new row, (d,), and keep the newest `window`
rows at most, oldest first. The cache starts empty, (0, d).

With window = 2, the rows a, b, c leave b, c in the cache.""",
    stub="""
def slide_window(cache, row, window):  # (n_cached, d), (d,), a number
    return ...  # (at most window, d)
""",
    solution="""
def slide_window(cache, row, window):
    return np.concatenate([cache, row[None, :]])[-window:]
""",
    hints=(
        "Append first. Which end of the result holds the newest rows?",
        "A slice that counts from the end: `[-window:]` keeps at most the last `window` rows.",
    ),
    why="Memory stays bounded, and what lies further back can no longer be read: the result is that of a window mask.",
    cases=slide_cases,
    others=(slide_in_place, lambda cache, row, window: np.vstack([cache, row])[max(0, len(cache) + 1 - window) :]),
    wrong={
        "evicts_newest": slide_keeping(lambda rows, window: rows[:window]),
        "window_one_too_many": slide_keeping(lambda rows, window: rows[-window - 1 :]),
        "window_one_too_few": (
            slide_keeping(lambda rows, window: rows[len(rows) - min(len(rows), window - 1) :]),
            slide_keeping(lambda rows, window: rows[-(window - 1) :]),  # with window = 1 this keeps all
        ),
        "row_not_appended": lambda cache, row, window: cache[-window:],
        "window_never_evicts": slide_keeping(lambda rows, window: rows),
        "window_cleared": slide_keeping(lambda rows, window: rows if len(rows) <= window else rows[-1:]),
        "cache_replaced": slide_keeping(lambda rows, window: rows[-1:]),
        "cache_prepended": lambda cache, row, window: np.vstack([row, cache])[:window],
        "row_overwrites": lambda cache, row, window: (
            np.vstack([cache[:-1], row]) if len(cache) >= window else np.vstack([cache, row])
        ),
    },
    parts=("cache after each row (filled up with 0)", "number of rows at the end"),
    play=play_slide,
    hand=lambda rows, window: (rows[:-1][-window:], rows[-1], window),
)


# 6. Its size


def size_cases(rng: np.random.Generator) -> list[Arguments]:
    """Give small numbers, then those of two published shapes."""
    drawn = tuple(int(size) for size in rng.integers(2, 40, size=5))
    return [(1, 3, 5, 7, 2), (10, 2, 4, 8, 4), (4096, 32, 32, 128, 2), (8192, 32, 8, 128, 2), drawn]


SIZE = Exercise(
    name="cache_bytes",
    notebook=NOTEBOOK,
    title="How large is a cache?",
    difficulty=1,
    minutes=3,
    spec="""Write `cache_bytes(n_tokens, n_layers, n_kv_heads, d_head, bytes_per_number)`: the bytes that the
keys and values of n_tokens take in all layers. Here d_k = d_v = d_head.

One token in 3 layers with 5 heads of 7 numbers of 2 bytes takes 420 bytes.""",
    stub="""
def cache_bytes(n_tokens, n_layers, n_kv_heads, d_head, bytes_per_number):
    return ...  # a number
""",
    solution="""
def cache_bytes(n_tokens, n_layers, n_kv_heads, d_head, bytes_per_number):
    return 2 * n_tokens * n_layers * n_kv_heads * d_head * bytes_per_number
""",
    hints=(
        "How many numbers does one token leave behind in one head of one layer?",
        "d_head for its key and d_head for its value: a factor of 2. Multiply by everything else.",
    ),
    why="Only n_kv_heads can be made smaller without touching the text or the width: that is what GQA does.",
    cases=size_cases,
    others=(
        lambda n, layers, heads, d, size: sum(n * heads * d * size * 2 for _ in range(layers)),
        lambda n, layers, heads, d, size: (n * d + n * d) * heads * layers * size,
    ),
    wrong={
        "keys_only": lambda n, layers, heads, d, size: n * layers * heads * d * size,
        "counts_Q": lambda n, layers, heads, d, size: 3 * n * layers * heads * d * size,
        "layers_forgotten": lambda n, layers, heads, d, size: 2 * n * heads * d * size,
        "heads_forgotten": lambda n, layers, heads, d, size: 2 * n * layers * d * size,
        "bits": lambda n, layers, heads, d, size: 2 * n * layers * heads * d * size * 8,
        "numbers_for_bytes": lambda n, layers, heads, d, size: 2 * n * layers * heads * d,
        "width_forgotten": lambda n, layers, heads, d, size: 2 * n * layers * heads * size,
        "tokens_forgotten": lambda n, layers, heads, d, size: 2 * layers * heads * d * size,
        "tokens_squared": lambda n, layers, heads, d, size: 2 * n * n * layers * heads * d * size,
        "in_kilobytes": (
            lambda n, layers, heads, d, size: 2 * n * layers * heads * d * size / 1024,
            lambda n, layers, heads, d, size: 2 * n * layers * heads * d * size / 1000,
            lambda n, layers, heads, d, size: 2 * n * layers * heads * d * size / 1024**2,
            lambda n, layers, heads, d, size: 2 * n * layers * heads * d * size / 10**6,
            lambda n, layers, heads, d, size: 2 * n * layers * heads * d * size / 1024**3,
            lambda n, layers, heads, d, size: 2 * n * layers * heads * d * size / 10**9,
        ),
        "added_up": lambda n, layers, heads, d, size: 2 * (n + layers + heads + d + size),
    },
)

EXERCISES = (APPEND, ONE_TOKEN, ALL_TOKENS, CACHED_MASK, SLIDE, SIZE)


QUESTIONS = {
    "06.what_is_kept": Question(
        topic="why Q is not cached",
        choices={"K and V": "K and V", "Q, K and V": "Q, K and V", "K": "K alone"},
        right="Later tokens read the keys and values of earlier ones. A query is used once, by its own token.",
        wrong={
            "Q, K and V": (
                "Row i of the map needs query i and no other. Once its output is there, query i is never read again."
            ),
            "K": "The keys give the weights. What is then mixed are the values, so they must be kept too.",
        },
    ),
    "06.third_weight": Question(
        topic="article 003, third step",
        tolerance=0.02,
        digits=3,
        right=(
            "The scores are divided by the root of d_k = 2 first. The number "
            "printed in the article is near what comes out without it."
        ),
        wrong={
            "not_scaled": "That is the softmax of the scores before they are scaled.",
            "printed": (
                "That is the number printed in the article. Recomputed "
                "from its own Q and K, with the scale, it is {answer}."
            ),
            "other": "Three scores, divided by the root of 2, then softmax.",
        },
    ),
    "06.token_cost": Question(
        topic="cost of one cached token",
        choices={"same": "the same", "double": "about twice", "four": "about four times"},
        right=(
            "One query meets twice as many keys. Without a cache the whole "
            "map would be computed again: four times the scores."
        ),
        wrong={
            "same": "The projections of the new token cost the same, but its query meets every cached key.",
            "four": "That is the whole map, n by n. With a cache only one new row is computed.",
        },
    ),
    "06.deeper": Question(
        topic="deeper layers",
        choices={"valid": "still valid", "changed": "no longer valid"},
        right="Under a causal mask a token's output depends on itself and the past, and a new token changes neither.",
        wrong={
            "changed": (
                "That would be so without the causal mask: then every output would change "
                "with each new token. With it, the past does not see the new token."
            ),
        },
    ),
    "06.top_left": Question(
        topic="causal mask with a cache",
        tolerance=0.01,
        digits=0,
        right="Lined up at the top left, the only query counts as position 0 and sees key 0 alone.",
        wrong={
            "all": (
                "So it should be, and so it is when the last query lines up with "
                "the last key. Lined up at the top left it is position 0."
            ),
            "cached": (
                "Lined up at the top left, the query does not know that "
                "it is the newest token: it counts as position 0."
            ),
            "other": "Row 0 of a causal mask allows one key.",
        },
    ),
    "06.full": Question(
        topic="a full cache",
        choices={
            "error": "an error, and the cache stays as it was",
            "overwritten": "the oldest token is overwritten",
            "grows": "the cache grows",
        },
        right="Nothing is lost silently. Dropping the oldest is a decision, and an exercise below.",
        wrong={
            "overwritten": "That is a sliding window, which changes the result. This cache does not do it unasked.",
            "grows": "Its room is allocated once, so that appending copies nothing.",
        },
    ),
}
