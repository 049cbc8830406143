"""What is said about mistakes with masks, and between two sequences."""

from .mistake import Mistake

MASKS: dict[str, Mistake] = {
    # masks
    "mask_added": Mistake(
        "The mask is added to the scores",
        "True counts as 1 and False as 0, so an allowed key gains 1 and a forbidden one keeps its score. "
        "Write -inf where it is False.",
    ),
    "zero_times_inf": Mistake(
        "0 times inf",
        "(1 - mask) * -inf is -inf where the mask is False, and 0 * -inf elsewhere, which is nan. np.where(mask, "
        "scores, -np.inf) multiplies nothing.",
    ),
    "filled_with_inf": Mistake(
        "inf in place of -inf",
        "exp(inf) is inf, so a forbidden key takes everything. exp(-inf) is 0.",
    ),
    "mask_ignored": Mistake(
        "The mask is not used",
        "Forbidden keys still receive weight.",
    ),
    "mask_inverted": Mistake(
        "The mask is turned round",
        (
            "Here True means may attend. It forbids what is allowed and allows "
            "what is forbidden. (nn.MultiheadAttention uses the opposite.)"
        ),
    ),
    "mask_after_softmax": Mistake(
        "Masked after the softmax",
        (
            "The forbidden keys already took their share, so the rows no "
            "longer sum to 1. Mask the scores, then take the softmax."
        ),
    ),
    "mask_times_zero": Mistake(
        "Masked by multiplying with zero",
        "A score of 0 is an ordinary score: exp(0) is 1, so the key still receives weight. Only -inf becomes 0.",
    ),
    "finite_fill": Mistake(
        "A finite number in place of -inf",
        (
            "A number such as -1e9 is only far below scores of ordinary size. "
            "Against a score lower still it wins, and the mask leaks."
        ),
    ),
    "largest_before_mask": Mistake(
        "The largest is taken before the mask",
        "The largest score may be a forbidden one. Where it lies far above the allowed ones, their exps all become 0. "
        "Mask first, then take the largest.",
    ),
    "only_itself": Mistake(
        "Each token sees itself alone",
        "The diagonal is allowed, and so is everything left of it: all earlier positions.",
    ),
    "allows_everything": Mistake(
        "Everything is allowed",
        "Nothing is forbidden. Keys after a query's own position are in its future.",
    ),
    "old_keys_forbidden": Mistake(
        "The old keys are forbidden",
        "The keys from before the queries are earlier positions too, and every query may attend to them.",
    ),
    "only_the_one_before": Mistake(
        "Each token sees only the one before it",
        "All earlier positions are allowed, and its own.",
    ),
    "scores_for_mask": Mistake(
        "Numbers to add in place of a mask",
        "0 and -inf are added to scores. Asked for is the bool mask: True where attending is allowed.",
    ),
    "pad_at_the_front": Mistake(
        "The padding is taken to stand in front",
        "The sentences are padded at the end, so the real keys are the first ones.",
    ),
    "one_too_few": Mistake(
        "Off by one: the last real key is forbidden",
        "Positions count from 0, so a sentence of length L has the real keys 0 to L - 1.",
    ),
    "only_the_last_key": Mistake(
        "Only the last real key",
        "All keys with position < length are real.",
    ),
    "same_for_all_sentences": Mistake(
        "One length for the whole batch",
        "Each sentence has a length of its own: compare the positions with lengths[b].",
    ),
    "dead_row_of_ones": Mistake(
        "1 in the rows with no allowed key",
        "Here such a row has weights 0: it reads nothing.",
    ),
    "causal_excludes_itself": Mistake(
        "Off by one: a token cannot see itself",
        "The diagonal is allowed: a query may attend to its own position. Without it the first row has no key at all.",
    ),
    "causal_sees_next": Mistake(
        "Off by one: a token sees the next one",
        "The key right of a query's own position is the very token to be predicted.",
    ),
    "causal_reversed": Mistake(
        "The future instead of the past",
        "Row i may see keys 0 to i, the lower left triangle. This allows the upper right one.",
    ),
    "causal_top_left": Mistake(
        "A causal mask lined up at the top left",
        (
            "With cached keys the queries are the last tokens: the last query "
            "lines up with the last key, not the first with the first."
        ),
    ),
    "causal_in_cross_attention": Mistake(
        "A causal mask where none belongs",
        "Causal is not padding: the whole source sentence is known, so a target word may read any real source word.",
    ),
    "pad_rows_masked": Mistake(
        "Pad rows masked in place of pad columns",
        "Nobody may read a pad token, so its column is forbidden. Its row only makes an output that nobody uses.",
    ),
    "pad_off_by_one": Mistake(
        "Off by one: one pad key is allowed",
        "Positions count from 0, so the real keys of a sentence of length L are those with position < L.",
    ),
    "pads_at_the_end": Mistake(
        "The pads are taken to stand at the end",
        "The texts are padded on the left: a text of length L fills the last L columns.",
    ),
    "positions_count_pads": Mistake(
        "The positions count the pads",
        "A text begins at position 0 wherever it stands in the table: subtract the number of its pads.",
    ),
    "positions_from_one": Mistake(
        "Positions counted from 1",
        "The first real token has position 0.",
    ),
    "positions_below_zero": Mistake(
        "Pads with positions below 0",
        "There is no such position. What a pad gets does not matter, since nobody reads it: give it 0.",
    ),
    "mask_without_pads": Mistake(
        "The pads may be read",
        "The mask is causal, and no more. The pads stand in the past of every real token, so they must be forbidden.",
    ),
    "mask_without_causal": Mistake(
        "Later keys are allowed",
        "The pads are forbidden, and the future is not. Both must be.",
    ),
    "dead_row_nan": Mistake(
        "nan in a row with no allowed key",
        "Nothing is left to share out there: its exps sum to 0, and 0 / 0 is nan; so is -inf - (-inf), where the "
        "largest of its masked scores is subtracted. Here such a row has weights 0.",
    ),
    "dead_row_uniform": Mistake(
        "A row with no allowed key attends to everything",
        "With a finite fill all forbidden keys tie, so softmax shares 1 among them. Here such a row has weights 0.",
    ),
    # cross-attention
    "sides_exchanged": Mistake(
        "The two sequences are exchanged",
        "The sequence that asks gives Q; the one that is read gives K and V. The map is (n_queries, n_keys).",
    ),
    "context_ignored": Mistake(
        "The context is not used",
        "This is self-attention: K and V come from X. In cross-attention they come from the context.",
    ),
    "queries_from_context": Mistake(
        "Queries from the wrong sequence",
        "Q, K and V all come from the context here. The sequence that asks is X: Q = X @ W_Q.",
    ),
    "keys_from_X": Mistake(
        "Keys from the wrong sequence",
        "A key and its value belong to one token, so K and V both come from the context.",
    ),
    "keys_not_moved": Mistake(
        "The columns have not moved",
        "The columns of the map belong to the keys. When the Korean words change places, so do their columns.",
    ),
    "queries_not_moved": Mistake(
        "The rows have not moved",
        "A row of the map, and a row of the output, belongs to one query and goes where its word goes.",
    ),
    "output_not_moved": Mistake(
        "The output has not moved",
        "The output has a row for each query. When the queries change places, its rows go along.",
    ),
    "order_inverted": Mistake(
        "The order is turned around",
        "`queries[i]` and `keys[i]` say which old word now stands at i. Turned around, in one sentence or both, they "
        "send old word i to that place.",
    ),
    "orders_exchanged": Mistake(
        "The two orders are exchanged",
        "Rows belong to the words that ask, columns to those that are read.",
    ),
    "queries_and_keys_exchanged": Mistake(
        "W_Q and W_K are exchanged",
        "The sequence that asks goes through W_Q, the one that is read through W_K.",
    ),
    "mask_axis_missing": Mistake(
        "The mask lacks its middle axis",
        "A mask of (batch, n_keys) is laid on queries and keys, as if its sentences were queries. With an axis of 1 "
        "between them, (batch, 1, n_keys), it has a row for each sentence.",
    ),
    "pairs_picked": Mistake(
        "Pairs of places in place of rows and columns",
        "`weights[queries, keys]` picks one number for each pair. Pick the rows first, then the columns.",
    ),
    "softmax_over_batch": Mistake(
        "Softmax over the batch",
        "The first axis holds the sentences. Each row of each sentence sums to 1: use the last axis.",
    ),
    "values_from_X": Mistake(
        "Values from the wrong sequence",
        "A key and its value belong to one token, so K and V both come from the context.",
    ),
    "counts_from_one": Mistake(
        "Counted from 1",
        "Positions count from 0.",
    ),
    "smallest_instead": Mistake(
        "The smallest in place of the largest",
        "The key that is read most has the largest weight.",
    ),
    "all_axes_transposed": Mistake(
        "All axes reversed",
        "`.T` reverses every axis, a batch and heads too. Exchange only the two that are meant: `K.swapaxes(-1, -2)` "
        "for scores, `swapaxes(0, 1)` for heads.",
    ),
}
