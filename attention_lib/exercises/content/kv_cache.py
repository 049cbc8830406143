"""What notebook 06 asks: find the bug, heads that share keys, a translator's two caches, padding on the left."""

from functools import partial
from typing import Any

import numpy as np

from ...attention import scaled_dot_product_attention, softmax
from ...masks import causal_mask
from ...mistakes.recipes import AND, DIVISORS, RECIPES, RIGHT, Recipe, attend, attention_map, with_mistakes
from ...multi_head import repeat_kv
from ..exercise import Arguments, Exercise, Function, normal
from ..predictions import Question
from ..rules_by_running import KEPT, Keeps, of_two_sentences
from ..rules_by_steps import by_steps
from ..rules_of_weights import Given, weights_rules

NOTEBOOK = "06_kv_cache"
NO_SOFTMAX = ("softmax_missing", "sum_missing", "exp_missing")


# 1. Find the bug


def piece_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw Q, K, V of new tokens and the caches: one new token, several, an empty cache."""
    shapes = [(2, 1, 2, 2), (2, 3, 2, 1), (3, 0, 3, 2), (1, 4, 4, 3), (4, 5, 3, 6)]  # new, cached, d_k, d_v
    return [
        (*(normal(rng, n, d) for d in (d_k, d_k, d_v)), *(normal(rng, cached, d) for d in (d_k, d_v)))
        for n, cached, d_k, d_v in shapes
    ]


def piece_far_below(rng: np.random.Generator) -> list[Arguments]:
    """Draw a piece whose allowed scores all lie far below 0, with keys behind them that do not."""
    Q, K, values = np.full((2, 1), 6.0), np.array([[-10.0], [-9.75]]), normal(rng, 4, 2)
    return [(Q, K, values[:2], np.array([[-10.0], [-10.25]]), values[2:])]


def piece_masked(recipe: Recipe, allow: Function, Q: Any, K: Any, V: Any, K_cache: Any, V_cache: Any) -> Any:
    """Follow a recipe for a piece, with a mask made of n_new and n_keys."""
    K, V = np.vstack([K_cache, K]), np.vstack([V_cache, V])
    return attend(recipe, Q, K, V, allow(len(Q), len(K))), K, V


def piece_with(recipe: Recipe, *arguments: Any) -> Any:
    """Follow a recipe with the right mask."""
    return piece_masked(recipe, causal_mask, *arguments)


def piece_mask(allow: Function) -> Function:
    """Attend rightly, with this mask."""
    return lambda *arguments: piece_masked(RIGHT, allow, *arguments)


def piece_row_by_row(Q: Any, K: Any, V: Any, K_cache: Any, V_cache: Any) -> Any:
    """Take the new tokens one at a time, without any mask."""
    keys, values, rows = list(K_cache), list(V_cache), []
    for q, k, v in zip(Q, K, V):
        keys.append(k)
        values.append(v)
        rows.append(attend(RIGHT, q[None], np.array(keys), np.array(values))[0])
    return np.array(rows), np.array(keys), np.array(values)


def piece_by_library(Q: Any, K: Any, V: Any, K_cache: Any, V_cache: Any) -> Any:
    """Let the library line the mask up."""
    K, V = np.vstack([K_cache, K]), np.vstack([V_cache, V])
    return scaled_dot_product_attention(Q, K, V, is_causal=True).output, K, V


def piece_alone(Q: Any, K: Any, V: Any, K_cache: Any, V_cache: Any) -> Any:
    """Forget the cache when attending."""
    return attend(RIGHT, Q, K, V, causal_mask(len(Q))), np.vstack([K_cache, K]), np.vstack([V_cache, V])


def as_a_piece(Q: Any, K: Any, V: Any, mask: Any) -> Arguments:
    """Keep all keys and values but those of the queries' own tokens."""
    n_cached = len(K) - len(Q)
    return Q, K[n_cached:], V[n_cached:], K[:n_cached], V[:n_cached]


PIECE_STEPS = {
    "order": {
        "the cache first": lambda new, kept: np.vstack([kept, new]),
        "the new rows first": lambda new, kept: np.vstack([new, kept]),
    },
    "returned": {
        "those attended with": lambda used, new, kept: used,
        "the cache first": lambda used, new, kept: np.vstack([kept, new]),
        "the new rows alone": lambda used, new, kept: new,
        "the cache as it was": lambda used, new, kept: kept,
    },
    "allowed": {
        "the cache, and new keys up to the query's own": lambda n, c: np.tri(n, c + n, c, dtype=bool),
        "keys up to the row's number, counted from key 0": lambda n, c: np.tri(n, c + n, dtype=bool),
        "the cache, and new keys before the query's own": lambda n, c: np.tri(n, c + n, c - 1, dtype=bool),
        "the cache, and new keys up to the one after the query's own": lambda n, c: np.tri(n, c + n, c + 1, dtype=bool),
        "keys up to the row's number plus the number of new rows": lambda n, c: np.tri(n, c + n, n, dtype=bool),
        "keys up to the row's number less the number of cached keys": lambda n, c: np.tri(n, c + n, -c, dtype=bool),
        "all": lambda n, c: np.ones((n, c + n), dtype=bool),
        "the cache alone": lambda n, c: np.broadcast_to(np.arange(c + n) < c, (n, c + n)),
        "the new keys alone, up to the query's own": lambda n, c: (
            np.tri(n, c + n, c, dtype=bool) & (np.arange(c + n) >= c)
        ),
        "the query's own key and later ones": lambda n, c: ~np.tri(n, c + n, c - 1, dtype=bool),
        "as many keys as the cache has, up to the query's own": lambda n, c: (
            np.tri(n, c + n, c, dtype=bool) & ~np.tri(n, c + n, -1, dtype=bool)
        ),
        "the cache, and the query's own key": lambda n, c: (np.arange(c + n) < c) | np.eye(n, c + n, c, dtype=bool),
    },
    "divisor": {
        "√d_k": lambda Q, K: np.sqrt(Q.shape[1]),
        "√n_keys": lambda Q, K: np.sqrt(len(K)),
        "√n_new": lambda Q, K: np.sqrt(len(Q)),
        "d_k": lambda Q, K: Q.shape[1],
        "1": lambda Q, K: 1,
    },
    "forbidden": {
        "a weight of 0": lambda scores, allowed: softmax(np.where(allowed, scores, -np.inf)),
        "a score of 0": lambda scores, allowed: softmax(np.where(allowed, scores, 0)),
        "0 after the softmax": lambda scores, allowed: softmax(scores) * allowed,
    },
}


def piece_by_steps(
    Q: Any,
    K: Any,
    V: Any,
    K_cache: Any,
    V_cache: Any,
    order: Any,
    returned: Any,
    allowed: Any,
    divisor: Any,
    forbidden: Any,
) -> Any:
    """Attend with these ways of the steps."""
    keys, values = order(K, K_cache), order(V, V_cache)
    output = forbidden(Q @ keys.T / divisor(Q, keys), allowed(len(Q), len(K_cache))) @ values
    return output, returned(keys, K, K_cache), returned(values, V, V_cache)


PIECE = Exercise(
    name="mended_step",
    notebook=NOTEBOOK,
    title="Find the bug",
    difficulty=2,
    minutes=8,
    spec="""`mended_step(Q, K, V, K_cache, V_cache)` takes the rows of a few new tokens, (n_new, d), and the caches,
(n_cached, d). It returns the outputs of the new tokens and both caches with the new rows. It runs, its rows of
weights sum to 1, and with an empty cache it is right. One line is wrong: find it and mend it.""",
    stub="""
def mended_step(Q, K, V, K_cache, V_cache):
    K, V = np.concatenate([K_cache, K]), np.concatenate([V_cache, V])
    allowed = np.tri(len(Q), len(K), dtype=bool)  # (n_new, n_keys)
    scaled_scores = Q @ K.T / np.sqrt(Q.shape[1])
    exps = np.where(allowed, np.exp(scaled_scores), 0)
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ V, K, V
""",
    solution="""
def mended_step(Q, K, V, K_cache, V_cache):
    K, V = np.concatenate([K_cache, K]), np.concatenate([V_cache, V])
    allowed = np.tri(len(Q), len(K), k=len(K_cache), dtype=bool)  # the diagonal starts behind the cache
    scaled_scores = Q @ K.T / np.sqrt(Q.shape[1])
    exps = np.where(allowed, np.exp(scaled_scores), 0)
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ V, K, V
""",
    hints=(
        "Give it one new token and a cache of three. Which keys should it see, and which does it see?",
        "Print `allowed` for 2 new tokens and 3 cached ones, beside `causal_mask(2, 5)`.",
    ),
    why="With an empty cache both masks are the same, so a test of the prompt alone finds nothing.",
    cases=piece_cases,
    hard=piece_far_below,
    integers=True,
    keeps=Keeps(("row sums", "future", "shift", "values"), as_a_piece, causal=True),
    others=(piece_row_by_row, piece_by_library),
    wrong=with_mistakes(piece_with, *DIVISORS)
    | {
        "new_tokens_see_all": piece_mask(lambda n, n_keys: np.ones((n, n_keys), dtype=bool)),
        "causal_excludes_itself": piece_mask(lambda n, n_keys: np.tri(n, n_keys, k=n_keys - n - 1, dtype=bool)),
        "causal_sees_next": piece_mask(lambda n, n_keys: np.tri(n, n_keys, k=n_keys - n + 1, dtype=bool)),
        f"causal_top_left{AND}not_scaled": lambda *arguments: piece_masked(
            RECIPES["not_scaled"], lambda n, n_keys: np.tri(n, n_keys, dtype=bool), *arguments
        ),
        f"causal_top_left{AND}scaled_by_d_k": lambda *arguments: piece_masked(
            RECIPES["scaled_by_d_k"], lambda n, n_keys: np.tri(n, n_keys, dtype=bool), *arguments
        ),
        "only_new_keys": piece_alone,
        "caches_exchanged": lambda *arguments: (
            piece_with(RIGHT, *arguments)[0],
            *piece_with(RIGHT, *arguments)[:0:-1],
        ),
        "cache_unchanged": lambda Q, K, V, K_cache, V_cache: (
            piece_with(RIGHT, Q, K, V, K_cache, V_cache)[0],
            K_cache.copy(),
            V_cache.copy(),
        ),
        "cache_replaced": lambda Q, K, V, K_cache, V_cache: (
            piece_with(RIGHT, Q, K, V, K_cache, V_cache)[0],
            K.copy(),
            V.copy(),
        ),
    },
    parts=("output", "K", "V"),
    rules=(by_steps("piece_attends", PIECE_STEPS, piece_by_steps),),
    has_bug=True,
)


# 2. Heads that share keys


def group_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw one query for each head, and the keys and values of fewer heads."""
    # h, h_kv, n, d_k, d_v
    shapes = [(4, 2, 2, 2, 2), (2, 1, 3, 2, 2), (6, 2, 4, 3, 2), (3, 3, 2, 2, 4), (6, 3, 5, 9, 4)]
    return [
        (normal(rng, h, d_k), normal(rng, h_kv, n, d_k), normal(rng, h_kv, n, d_v)) for h, h_kv, n, d_k, d_v in shapes
    ]


def group_with(recipe: Recipe, q: Any, K: Any, V: Any) -> Any:
    """Follow a recipe in each head."""
    return group_reading(lambda i, h, h_kv: i * h_kv // h, q, K, V, recipe)


def group_reading(which: Function, q: Any, K: Any, V: Any, recipe: Recipe = RIGHT) -> Any:
    """Let query head i read the key/value head that `which` names."""
    heads = [which(i, len(q), len(K)) for i in range(len(q))]
    return np.array([attend(recipe, one[None], K[head], V[head])[0] for one, head in zip(q, heads)])


def group_all_at_once(q: Any, K: Any, V: Any) -> Any:
    """Cut the query heads into groups; nothing is repeated."""
    grouped = q.reshape(len(K), -1, q.shape[1])  # (h_kv, h / h_kv, d_k)
    return scaled_dot_product_attention(grouped, K, V).output.reshape(len(q), -1)


def below_1(exps: Any) -> Any:
    """Return what exp gives once the largest score of each row was subtracted."""
    return exps / exps.max(axis=-1, keepdims=True)


def repeated_tokens(q: Any, K: Any, V: Any) -> Any:
    """Repeat the tokens, and let a reshape deal them out to the heads."""
    K, V = (np.repeat(A, len(q) // len(A), axis=1).reshape(len(q), A.shape[1], -1) for A in (K, V))
    return group_with(RIGHT, q, K, V)


READS = {
    "i // (h / h_kv)": lambda i, h, h_kv: i * h_kv // h,
    "i % h_kv": lambda i, h, h_kv: i % h_kv,
    "i // h_kv": lambda i, h, h_kv: min(i // h_kv, h_kv - 1),
    "i // 2": lambda i, h, h_kv: min(i // 2, h_kv - 1),
    "0": lambda i, h, h_kv: 0,
    "h_kv - 1": lambda i, h, h_kv: h_kv - 1,
    "i, and from h_kv on the last": lambda i, h, h_kv: min(i, h_kv - 1),
    "the groups from the last": lambda i, h, h_kv: h_kv - 1 - i * h_kv // h,
}
GROUP_STEPS = {
    "key": READS,
    "value": {"as the keys": None} | READS,
    "query": {
        "its own": lambda q, r: q,
        "the mean of its group": lambda q, r: np.repeat(q.reshape(-1, r, q.shape[1]).mean(axis=1), r, axis=0),
        "the first of its group": lambda q, r: np.repeat(q[::r], r, axis=0),
    },
    "divisor": {
        "√d_k": lambda q, K, V: np.sqrt(q.shape[1]),
        "√(h · d_k)": lambda q, K, V: np.sqrt(q.size),
        "√(h_kv · d_k)": lambda q, K, V: np.sqrt(len(K) * q.shape[1]),
        "√(d_k / h)": lambda q, K, V: np.sqrt(q.shape[1] / len(q)),
        "√n": lambda q, K, V: np.sqrt(K.shape[1]),
        "1": lambda q, K, V: 1,
    },
    "shares": {
        "of each row": lambda exps: exps / exps.sum(axis=-1, keepdims=True),
        "over the heads": lambda exps: exps / exps.sum(axis=0),
        "over the heads, each row's largest subtracted before": lambda exps: below_1(exps) / below_1(exps).sum(axis=0),
        "of everything": lambda exps: exps / exps.sum(),
        "of everything, each row's largest subtracted before": lambda exps: below_1(exps) / below_1(exps).sum(),
    },
    "tokens": {"all": slice(None), "all but the newest": slice(None, -1), "all but the first": slice(1, None)},
}


def group_by_steps(
    q: Any, K: Any, V: Any, key: Any, value: Any, query: Any, divisor: Any, shares: Any, tokens: Any
) -> Any:
    """Attend with these ways of the steps."""
    h, h_kv = len(q), len(K)
    keys = K[[key(i, h, h_kv) for i in range(h)]][:, tokens]
    values = V[[(value or key)(i, h, h_kv) for i in range(h)]][:, tokens]
    scores = np.einsum("hd,hnd->hn", query(q, h // h_kv), keys) / divisor(q, K, V)
    return np.einsum("hn,hnv->hv", shares(np.exp(scores)), values)


def all_key_heads(q: Any, K: Any, V: Any) -> Any:
    """Let every query head read all key heads."""
    return attend(RIGHT, q, K.reshape(-1, K.shape[-1]), V.reshape(-1, V.shape[-1]))


def as_one_group(Q: Any, K: Any, V: Any, mask: Any) -> Arguments:
    """Let all queries share one key/value head."""
    return Q, K[None], V[None]


GROUPS = Exercise(
    name="attend_in_groups",
    notebook=NOTEBOOK,
    title="Heads that share keys",
    difficulty=2,
    minutes=10,
    spec="""Write one decoding step of grouped-query attention. `attend_in_groups(q, K, V)` is given the newest
query of each of h heads, (h, d_k), and a cache of fewer heads: K (h_kv, n, d_k) and V (h_kv, n, d_v). Neighbouring
query heads share: with h = 4 and h_kv = 2, heads 0 and 1 read key/value head 0, heads 2 and 3 read head 1. It
returns the output of each head, (h, d_v).""",
    stub="""
def attend_in_groups(q, K, V):  # (h, d_k), (h_kv, n, d_k), (h_kv, n, d_v)
    return ...  # (h, d_v)
""",
    solution="""
def attend_in_groups(q, K, V):
    rows = []
    for i in range(len(q)):
        shared = i * len(K) // len(q)  # the key/value head that query head i reads
        exps = np.exp(K[shared] @ q[i] / np.sqrt(q.shape[1]))  # (n,)
        rows.append(exps / exps.sum() @ V[shared])
    return np.array(rows)  # (h, d_v)
""",
    hints=(
        "Which key/value head does query head i read? Write the numbers down for h = 6 and h_kv = 2.",
        "It is head `i * h_kv // h`. The rest is one query over a cache, in each head.",
    ),
    why="The cache has h_kv heads and stays so: if anything is repeated, it is while reading.",
    cases=group_cases,
    integers=True,
    rules=(by_steps("group_reads", GROUP_STEPS, group_by_steps),),
    keeps=Keeps(KEPT, as_one_group),
    others=(
        group_all_at_once,
        lambda q, K, V: scaled_dot_product_attention(
            q[:, None], *(repeat_kv(A, len(q) // len(K)) for A in (K, V))
        ).output[:, 0],
    ),
    wrong=with_mistakes(group_with, *DIVISORS, *NO_SOFTMAX)
    | {
        "another_size_under_root": tuple(
            partial(lambda size, q, K, V: group_with(RIGHT, q * np.sqrt(q.shape[1] / size(q, K, V)), K, V), size)
            for size in (lambda q, K, V: len(q), lambda q, K, V: len(K), lambda q, K, V: V.shape[-1])
        ),
        "tiled_instead_of_repeated": lambda q, K, V: group_reading(lambda i, h, h_kv: i % h_kv, q, K, V),
        "key_heads_averaged": lambda q, K, V: group_reading(
            lambda i, h, h_kv: 0, q, K.mean(axis=0, keepdims=True), V.mean(axis=0, keepdims=True)
        ),
        "keys_mixed": lambda q, K, V: group_with(RIGHT, q, K, K),
        "flattened": lambda q, K, V: group_with(RIGHT, q, K, V).ravel(),
        "all_key_heads_read": all_key_heads,
        "tokens_repeated": repeated_tokens,
        "weights_returned": lambda q, K, V: np.array(
            [attention_map(RIGHT, q[i][None], K[i * len(K) // len(q)]).weights[0] for i in range(len(q))]
        ),
    },
)


# 3. A translator's two caches


def translation_cases(rng: np.random.Generator) -> list[Arguments]:
    """Draw target rows, source rows, and the projections to q, k and v."""
    # n, n_source, d_model, d_k, d_v
    shapes = [(2, 2, 2, 2, 2), (2, 3, 2, 3, 2), (1, 4, 3, 2, 2), (4, 3, 3, 5, 4), (5, 6, 7, 4, 9)]
    return [
        (normal(rng, n, d), normal(rng, m, d), *(normal(rng, d, width) / 2 for width in (d_k, d_k, d_v)))
        for n, m, d, d_k, d_v in shapes
    ]


class Projecting:
    """Multiplies rows with projections, and counts the rows."""

    def __init__(self, *projections: Any) -> None:
        self.projections, self.rows = projections, 0

    def __call__(self, rows: Any) -> Any:
        self.rows += np.size(rows) // len(self.projections[0])
        made = tuple(rows @ W for W in self.projections)
        return made if len(made) > 1 else made[0]

    def __repr__(self) -> str:
        return "project"


def play_translation(call: Function, X: Any, source: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
    """Hand over two functions, of which the second counts the rows it is given."""
    to_kv = Projecting(W_K, W_V)
    return call(X, source, Projecting(W_Q), to_kv), to_kv.rows


def translate_at_once(X: Any, source: Any, to_q: Function, to_kv: Function) -> Any:
    """Take all target rows in one product."""
    return scaled_dot_product_attention(to_q(X), *to_kv(source)).output


def translate_as(recipe: Recipe, X: Any, source: Any, to_q: Function, to_kv: Function) -> Any:
    """Follow a recipe without a mask."""
    return attend(recipe, to_q(X), *to_kv(source))


def translate_row_after_row(X: Any, source: Any, to_q: Function, to_kv: Function) -> Any:
    """Project the source one row at a time, once."""
    K, V = (np.array(rows) for rows in zip(*map(to_kv, source)))
    return np.array([attend(RIGHT, to_q(x)[None], K, V)[0] for x in X])


def translate_recomputing(X: Any, source: Any, to_q: Function, to_kv: Function) -> Any:
    """Project the source again for every target row."""
    return np.array([attend(RIGHT, to_q(x)[None], *to_kv(source))[0] for x in X])


def translate_causally(X: Any, source: Any, to_q: Function, to_kv: Function) -> Any:
    """Forbid the source rows that have a larger number."""
    K, V = to_kv(source)
    return attend(RIGHT, to_q(X), K, V, np.tri(len(X), len(source), dtype=bool))


def translate_growing(X: Any, source: Any, to_q: Function, to_kv: Function) -> Any:
    """Append the target's own keys and values, as a cache of self-attention does."""
    (K, V), (own_K, own_V) = to_kv(source), to_kv(X)
    rows = [np.vstack([K, own_K[: i + 1]]) for i in range(len(X))]
    values = [np.vstack([V, own_V[: i + 1]]) for i in range(len(X))]
    return np.array([attend(RIGHT, to_q(x)[None], K, V)[0] for x, K, V in zip(X, rows, values)])


def translate_itself(X: Any, source: Any, to_q: Function, to_kv: Function) -> Any:
    """Read the target in place of the source."""
    return attend(RIGHT, to_q(X), *to_kv(X))


def translate_mixing_keys(X: Any, source: Any, to_q: Function, to_kv: Function) -> Any:
    """Mix the keys in place of the values."""
    K, _ = to_kv(source)
    return attend(RIGHT, to_q(X), K, K)


def translate_divided(size: Function, X: Any, source: Any, to_q: Function, to_kv: Function) -> Any:
    """Take the root of another size."""
    (K, V), Q = to_kv(source), to_q(X)
    return softmax(Q @ K.T / np.sqrt(size(X, Q, V))) @ V


def translation_given(X: Any, source: Any, W_Q: Any, W_K: Any, W_V: Any) -> Given:
    """Say it in the words of attention."""
    return Given(X @ W_Q @ (source @ W_K).T, W_K.shape[1], source @ W_V)


TRANSLATE = Exercise(
    name="read_the_source",
    notebook=NOTEBOOK,
    title="The cache of cross-attention",
    difficulty=2,
    minutes=8,
    spec="""Write `read_the_source(X, source, to_q, to_kv)`, the cross-attention of a translator. The rows of X
come one at a time; each reads all rows of `source`. `to_q(x)` returns the query of a row, (d_k,), and
`to_kv(rows)` the keys and values of rows, (n, d_k) and (n, d_v). It returns all outputs, (len(X), d_v).

Each row of `source` goes through `to_kv` once: the check counts the rows that it is given.""",
    stub="""
def read_the_source(X, source, to_q, to_kv):  # (n, d_model), (n_source, d_model), two functions
    return ...  # (n, d_v)
""",
    solution="""
def read_the_source(X, source, to_q, to_kv):
    K, V = to_kv(source)  # once: (n_source, d_k), (n_source, d_v)
    outputs = []
    for x in X:
        scaled_scores = K @ to_q(x) / np.sqrt(K.shape[1])  # (n_source,)
        exps = np.exp(scaled_scores - scaled_scores.max())
        outputs.append(exps / exps.sum() @ V)  # (d_v,)
    return np.array(outputs)  # (n, d_v)
""",
    hints=(
        "What of the source changes when a target word is added?",
        "Nothing does. Call `to_kv(source)` in front of the loop.",
    ),
    why="Nothing is appended and nothing is masked: the whole source stands there before the first word is written.",
    cases=translation_cases,
    integers=True,
    others=(translate_at_once, translate_row_after_row),
    rules=weights_rules(translation_given),
    keeps=Keeps(KEPT, of_two_sentences),
    wrong=with_mistakes(translate_as, *DIVISORS, *NO_SOFTMAX, "softmax_over_queries", "softmax_over_everything")
    | {
        "sides_exchanged": lambda X, source, to_q, to_kv: translate_at_once(source, X, to_q, to_kv),
        "scaled_by_root_d_model": partial(translate_divided, lambda X, Q, V: X.shape[-1]),
        "another_size_under_root": (
            partial(translate_divided, lambda X, Q, V: len(Q)),
            partial(translate_divided, lambda X, Q, V: V.shape[-1]),
        ),
        "recomputes": translate_recomputing,
        "causal_in_cross_attention": translate_causally,
        "cross_cache_grows": translate_growing,
        "keys_from_X": translate_itself,
        "keys_mixed": translate_mixing_keys,
        "last_output_only": lambda *arguments: translate_at_once(*arguments)[-1],
    },
    parts=("answer", "number of rows given to to_kv"),
    counts=1,
    counted_too_often="recomputes",
    play=play_translation,
    hand=lambda X, source, W_Q, W_K, W_V: (X, source, Projecting(W_Q), Projecting(W_K, W_V)),
)


# 4. Padding on the left


def length_cases(rng: np.random.Generator) -> list[Arguments]:
    """Give lengths and the number of columns, which may be more than the longest needs."""
    drawn = rng.integers(1, 7, size=4)
    lengths = [([2, 3], 3), ([1, 2], 2), ([4], 6), ([3, 1, 4], 4), ([5, 2], 7), (drawn.tolist(), 7)]
    return [(np.array(of_texts), n) for of_texts, n in lengths]


def padded(lengths: Any, n: int, allow: Function | None = None, count: Function | None = None) -> Any:
    """Return mask and positions; `allow` and `count` take a number of pads, and columns, in place of what is right."""
    query, key = np.arange(n)[:, None], np.arange(n)[None]
    allow = allow or (lambda pads, query, key: (key >= pads) & (key <= query))
    count = count or (lambda pads, column: np.maximum(column - pads, 0))
    masks = [np.broadcast_to(allow(pads, query, key), (n, n)) for pads in n - lengths]
    return np.array(masks), np.array([count(pads, np.arange(n)) for pads in n - lengths])


def padded_with(**what: Function) -> Function:
    """Do one of the two in another way."""
    return lambda lengths, n: padded(lengths, n, **what)


def padded_in_loops(lengths: Any, n: int) -> Any:
    """Fill entry by entry."""
    mask, positions = np.zeros((len(lengths), n, n), dtype=bool), np.zeros((len(lengths), n), dtype=int)
    for b, length in enumerate(lengths):
        for query in range(n - length, n):
            positions[b, query] = query - (n - length)
            mask[b, query, n - length : query + 1] = True
    return mask, positions


LEFT_STEPS = {
    "real": {
        "from column n - length on": lambda column, pads: column >= pads,
        "behind column n - length": lambda column, pads: column > pads,
        "from column n - length - 1 on": lambda column, pads: column >= pads - 1,
        "before column length": lambda column, pads: column < column.size - pads,
        "before column n - length": lambda column, pads: column < pads,
        "all": lambda column, pads: column >= 0,
    },
    "causal": {
        "up to the query's own": lambda query, key: key <= query,
        "before the query's own": lambda query, key: key < query,
        "up to the one behind the query's own": lambda query, key: key <= query + 1,
        "from the query's own on": lambda query, key: key >= query,
        "all": lambda query, key: key >= 0 * query,
    },
    "joined": {
        "keys that are real and not later": lambda real, causal: real & causal,
        "keys that are real or not later": lambda real, causal: real | causal,
        "keys that are not later, of real queries": lambda real, causal: real[:, None] & causal,
        "keys that are real and not later, of real queries": lambda real, causal: real[:, None] & real & causal,
    },
    "positions": {
        "counted from the first real token, 0 for pads": lambda column, pads: np.maximum(column - pads, 0),
        "the numbers of the columns": lambda column, pads: column,
        "the numbers of the columns, 0 for pads": lambda column, pads: np.where(column >= pads, column, 0),
        "counted from the first real token, below 0 for pads": lambda column, pads: column - pads,
        "counted from the first real token, from 1 on": lambda column, pads: np.maximum(column - pads + 1, 0),
        "counted from the first real token, 1 for pads": lambda column, pads: np.where(
            column >= pads, column - pads, 1
        ),
        "counted from the first column up to the length": lambda column, pads: np.where(
            column < column.size - pads, column, 0
        ),
        "counted backwards": lambda column, pads: np.where(column >= pads, column.size - 1 - column, 0),
    },
}


def left_by_steps(lengths: Any, n: int, real: Any, causal: Any, joined: Any, positions: Any) -> Any:
    """Pad with these ways of the steps."""
    column, all_pads = np.arange(n), n - np.asarray(lengths)
    masks = [joined(real(column, pads), causal(column[:, None], column)) for pads in all_pads]
    return np.array(masks), np.array([positions(column, pads) for pads in all_pads])


LEFT = Exercise(
    name="pad_on_the_left",
    notebook=NOTEBOOK,
    title="Padding on the left",
    difficulty=3,
    minutes=12,
    spec="""A batch of texts stands in a table of n columns, padded on the left. Write `pad_on_the_left(lengths, n)`:
it returns the mask, bool (batch, n, n), True where a query (row) may attend to a key (column): real keys only, and
none after the query; and the positions, (batch, n): 0, 1, 2 and so on from the first real token on, and 0 for pads.

For lengths [2, 3] and n = 3 the positions are `[[0, 0, 1], [0, 1, 2]]`.""",
    stub="""
def pad_on_the_left(lengths, n):  # (batch,) whole numbers, a number
    return ...  # mask (batch, n, n) of bool, positions (batch, n)
""",
    solution="""
def pad_on_the_left(lengths, n):
    column = np.arange(n)
    n_pads = (n - np.array(lengths))[:, None]  # (batch, 1)
    real = column >= n_pads  # (batch, n): which keys are real tokens
    causal = column[None, :] <= column[:, None]  # (n, n)
    return real[:, None, :] & causal, np.maximum(column - n_pads, 0)
""",
    hints=(
        "In which column does a text of length L begin?",
        "In column n − L. Compare the columns with it for the mask, and subtract it for the positions.",
    ),
    why="The newest token of every text stands in the last column, so one row of logits is read for each text.",
    cases=length_cases,
    others=(padded_in_loops, lambda lengths, n: padded(np.asarray(lengths), n)),
    wrong={
        "pads_at_the_end": padded_with(
            allow=lambda pads, query, key: (key < key.size - pads) & (key <= query),
            count=lambda pads, column: np.where(column < column.size - pads, column, 0),
        ),
        "positions_count_pads": padded_with(count=lambda pads, column: column),
        "mask_without_pads": padded_with(allow=lambda pads, query, key: key <= query),
        "mask_without_causal": padded_with(allow=lambda pads, query, key: key >= pads),
        "pad_rows_masked": padded_with(allow=lambda pads, query, key: (query >= pads) & (key <= query)),
        "mask_inverted": padded_with(allow=lambda pads, query, key: (key < pads) | (key > query)),
        "causal_excludes_itself": padded_with(allow=lambda pads, query, key: (key >= pads) & (key < query)),
        "positions_from_one": padded_with(count=lambda pads, column: np.maximum(column - pads + 1, 0)),
        "positions_below_zero": padded_with(count=lambda pads, column: column - pads),
    },
    parts=("mask", "positions"),
    rules=(by_steps("left_pads", LEFT_STEPS, left_by_steps),),
)

EXERCISES = (PIECE, GROUPS, TRANSLATE, LEFT)


QUESTIONS = {
    "06.shortcut": Question(
        topic="why all rows are needed",
        choices={
            "one": "the model of one layer, and no other",
            "both": "both models",
            "none": "neither of them",
        },
        right=(
            "The second layer takes its keys and values from what the first layer wrote, for every earlier word. "
            "The shortcut never wrote that."
        ),
        wrong={
            "both": (
                "For one layer it is right. The second layer reads the outputs of the first, of all earlier words, "
                "and the shortcut has left these out."
            ),
            "none": (
                "In a single layer keys and values come from the embeddings, which are all there. "
                "The last query is then enough."
            ),
        },
        gives_away=("needs what layer 1 wrote", "two layers, shortcut"),
    ),
    "06.deeper": Question(
        topic="deeper layers",
        choices={
            "valid": "no, in no layer",
            "first": "not in layer 1, but in layer 2",
            "changed": "yes, in both layers",
        },
        partly=("first",),
        right="Under the causal mask a word's row depends on itself and on the past, and a new word changes neither.",
        wrong={
            "first": (
                "Layer 1 stays, that is right. Layer 2 stays too: it reads the rows of layer 1 "
                "under the same mask, and none of these has read the new word."
            ),
            "changed": (
                "That would be so without the causal mask: then every row would read the new word. "
                "With it, the past does not see what comes."
            ),
        },
    ),
    "06.third_weight": Question(
        topic="article 003, third step",
        tolerance=0.02,
        digits=3,
        right="The scores 5, 1 and 7 are divided by the root of d_k = 2 first, then softmax.",
        wrong={
            "not_scaled": "That is the softmax of the scores before they are scaled.",
            "printed": (
                "That is the number printed in the article. From its own Q and K, with the scale, it is {answer}."
            ),
            "other": "Three scores, divided by the root of 2, then softmax.",
        },
    ),
    "06.what_is_kept": Question(
        topic="why Q is not cached",
        tolerance=0.005,
        digits=2,
        right=(
            "A query is used once, by its own token. Later tokens read the keys and values of earlier ones: "
            "hence a KV cache, and no QKV cache."
        ),
        wrong={
            "values": "So far it moves when 1 is added to the past values. No past query stands in the newest row.",
            "one": "That would be so for the output of a past token, at most. The newest row has a query of its own.",
            "other": "Row i of the map needs query i. Once its output is there, query i is never read again.",
        },
    ),
    "06.top_left": Question(
        topic="causal mask with a cache",
        tolerance=0.01,
        digits=0,
        right="Lined up at the top left, the only query counts as the first token and sees the first key alone.",
        wrong={
            "all": (
                "So it should be, and so it is when the last query lines up with "
                "the last key. Lined up at the top left it counts as the first token."
            ),
            "cached": (
                "Lined up at the top left, the query does not know that "
                "it is the newest token: it counts as the first one."
            ),
            "other": "The first row of a causal mask allows one key.",
        },
    ),
    "06.position": Question(
        topic="positions when rows are forgotten",
        choices={
            "place": "its place in the whole text",
            "length": "the number of rows in the cache",
            "either": "cannot tell: either will do, as long as the rows are in order",
        },
        right=(
            "The keys in the cache carry the positions they were made with. "
            "The new row must count on from them, however many have been dropped."
        ),
        wrong={
            "length": (
                "That is right until the first row is dropped. From then on every new word gets the same number, "
                "which the word before it has too."
            ),
            "either": (
                "Attention does not see the order of rows in the cache. What it sees are the positions in the rows."
            ),
        },
    ),
    "06.pad_side": Question(
        topic="padding on the right",
        choices={
            "as alone": "the word it writes when it stands alone",
            "another": "another word",
            "nothing": "cannot tell: a row of pads has no output",
        },
        right="The last column of the shorter text is a pad. What is read there is the model's guess after a pad.",
        wrong={
            "as alone": "That word stands in the column of its own last token. The last column belongs to a pad.",
            "nothing": "A pad is a token like any other to the model, so its row has logits. They mean nothing here.",
        },
        gives_away=("pads go on the",),
    ),
    "06.prefix": Question(
        topic="prompts that end alike",
        choices={
            "first": "those of layer 1, not those of layer 2",
            "both": "those of both layers",
            "none": "none of them",
        },
        right=(
            "In layer 1 keys and values are made of word and position alone. In layer 2 they are made "
            "of rows that have already read the words before."
        ),
        wrong={
            "both": "Equal words, but in layer 2 their rows have read what stands before them, and that differs.",
            "none": "In layer 1 keys and values are made of the word and its position, and both are the same.",
        },
    ),
}
