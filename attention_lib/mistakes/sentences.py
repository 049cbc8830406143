"""The classic mistakes: their names and what is said about each. One table for the checks and the lab."""

from typing import NamedTuple


class Mistake(NamedTuple):
    """What a learner reads: a title, and one or two sentences that meet the confusion behind it."""

    title: str
    sentence: str


MISTAKES: dict[str, Mistake] = {
    # scores
    "transpose_missing": Mistake(
        "The transpose is missing",
        (
            "A score is a query row times a key row, so the product is Q "
            "@ K.T. Where n equals d_k, Q @ K runs too and means nothing."
        ),
    ),
    "scores_transposed": Mistake(
        "Rows and columns are exchanged",
        "Rows are queries and columns are keys. Here entry [i, j] says how key i meets query j.",
    ),
    "mean_instead_of_sum": Mistake(
        "A mean in place of a sum",
        "A score adds up the d_k products and does not average them.",
    ),
    "scaled_too_soon": Mistake(
        "Scaled already",
        "These are the scaled scores. The scores are the step before: Q @ K.T, not yet divided by √d_k.",
    ),
    # softmax
    "softmax_over_queries": Mistake(
        "Softmax over the wrong axis",
        (
            "Each column sums to 1 here. Each query shares out one unit of "
            "attention among the keys, so each row must: use the last axis."
        ),
    ),
    "softmax_over_everything": Mistake(
        "Softmax over the whole matrix",
        (
            "All entries together sum to 1 here. Each row must sum to "
            "1 on its own: sum over the last axis and keep the axis."
        ),
    ),
    "softmax_missing": Mistake(
        "The softmax is missing",
        "The scores are used as they are. Weights must be positive and each row must sum to 1.",
    ),
    "exp_missing": Mistake(
        "Divided by the sum without exp",
        (
            "Dividing scores by their sum breaks as soon as a score is "
            "negative. exp comes first: it makes every number positive."
        ),
    ),
    "sum_missing": Mistake(
        "Not divided by the sum",
        "exp alone makes the numbers positive, and dividing by their sum makes them shares of 1.",
    ),
    "keepdims_missing": Mistake(
        "The sums lie along the wrong axis",
        (
            "x.sum(axis=-1) has one axis less, so numpy lines it up with the "
            "columns. keepdims=True keeps each sum beside its own row."
        ),
    ),
    "softmax_not_stable": Mistake(
        "Softmax that overflows",
        (
            "exp of a large number is inf, and inf / inf is nan. Subtract "
            "the largest number of each row first: the result is the same."
        ),
    ),
    "largest_of_everything": Mistake(
        "One largest number for the whole array",
        (
            "A row that lies far below the largest number of another row becomes "
            "all zeros, and 0 / 0 is nan. Take the largest along the axis."
        ),
    ),
    "smallest_subtracted": Mistake(
        "The smallest number is subtracted",
        (
            "Subtracting the smallest makes the rest larger, so exp overflows "
            "sooner. Subtract the largest: then nothing is above 0."
        ),
    ),
    "axis_ignored": Mistake(
        "The axis is ignored",
        "It works along the last axis whatever axis is asked for.",
    ),
    "softmax_over_heads": Mistake(
        "Softmax over the heads",
        (
            "The first axis holds the heads. Each head has a map of its "
            "own, and each row of it sums to 1: use the last axis."
        ),
    ),
    # scaling
    "not_scaled": Mistake(
        "The scores are not scaled",
        "Divide by the square root of d_k: a sum of d_k products spreads like the square root of d_k.",
    ),
    "scaled_by_d_k": Mistake(
        "Divided by d_k",
        (
            "The spread of a score grows like the square root of d_k, so dividing "
            "by d_k itself takes too much and flattens the weights."
        ),
    ),
    "half_power": Mistake(
        "Divided by d_k / 2",
        "d_k ** 1 / 2 is (d_k ** 1) / 2, since ** binds before /. Write d_k ** 0.5 or np.sqrt(d_k).",
    ),
    "scaled_by_root_d_model": Mistake(
        "Divided by the root of d_model",
        "A score adds up d_k products, the width of one query row. d_model, the width of X, does not enter.",
    ),
    "scaled_by_root_n": Mistake(
        "Divided by the root of the number of tokens",
        "How many tokens there are does not change the spread of one score. d_k, the width of a query row, does.",
    ),
    "multiplied": Mistake(
        "Multiplied in place of divided",
        "Multiplying pushes the numbers further apart. Dividing brings them closer together.",
    ),
    "after_softmax": Mistake(
        "Scaled after the softmax",
        "Once softmax has made shares of 1, dividing only makes rows that no longer sum to 1. Scale the scores.",
    ),
    "temperature_ignored": Mistake(
        "The temperature is not used",
        "Divide the scores by the temperature before the softmax.",
    ),
    # projections
    "values_not_projected": Mistake(
        "X in place of V",
        "The output mixes the values V = X @ W_V. Here it mixes the embeddings themselves.",
    ),
    "one_projection": Mistake(
        "Keys made with W_Q",
        "Q and K each have a projection of their own: K = X @ W_K.",
    ),
    "projection_transposed": Mistake(
        "A projection is transposed",
        "Rows are tokens, so a token's row stands left of the projection: X @ W, with W of shape (d_model, d_k).",
    ),
    "weights_returned": Mistake(
        "The weights, not the output",
        "The weights say how much of each value to take. The output is weights @ V.",
    ),
    # masks
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
    "zero_times_inf": Mistake(
        "nan from 0 times inf",
        (
            "Multiplying the mask by -inf gives 0 * inf = nan wherever attending "
            "is allowed. Choose instead: np.where(mask, scores, -np.inf)."
        ),
    ),
    "finite_fill": Mistake(
        "A finite number in place of -inf",
        (
            "A number such as -1e9 is only far below scores of ordinary size. "
            "Against a score lower still it wins, and the mask leaks."
        ),
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
    "pad_rows_too": Mistake(
        "Pad rows masked as well",
        (
            "Pad columns are right. With the pad rows masked too, those "
            "rows have no key left, and a plain softmax gives nan there."
        ),
    ),
    "pad_off_by_one": Mistake(
        "Off by one: one pad key is allowed",
        "Positions count from 0, so the real keys of a sentence of length L are those with position < L.",
    ),
    "window_counts_itself": Mistake(
        "Off by one: the window is too narrow",
        "`left` counts the keys before a query. Its own position comes on top, so a row has up to left + 1 keys.",
    ),
    "window_two_sided": Mistake(
        "The window opens to both sides",
        "This one looks back only: keys right of a query's own position are in its future.",
    ),
    "window_without_left": Mistake(
        "The window has no left edge",
        "This is a plain causal mask. Keys more than `left` positions back are out of sight.",
    ),
    "dead_row_nan": Mistake(
        "nan in a row with no allowed key",
        "All scores are -inf there, and -inf - (-inf) is nan. Here such a row has weights 0.",
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
    "values_from_X": Mistake(
        "Values from the wrong sequence",
        "A key and its value belong to one token, so K and V both come from the context.",
    ),
    "argmax_over_queries": Mistake(
        "The largest of each column",
        (
            "That is the query that reads a key most. Asked for is the key "
            "that each query reads most: search along the last axis."
        ),
    ),
    "argmax_of_everything": Mistake(
        "The largest of the whole map",
        "Without an axis, argmax counts through the whole array. Give it the axis of the keys.",
    ),
    "weight_instead_of_place": Mistake(
        "The weight in place of its position",
        "This is how large the largest weight is. Asked is where it stands: argmax in place of max.",
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
        "K.T reverses every axis, the batch too. Swap only the last two: K.swapaxes(-1, -2).",
    ),
    # heads
    "reshape_without_transpose": Mistake(
        "Reshaped without the transpose",
        (
            "The shape is right and the numbers are in the wrong places: heads and "
            "tokens mix. Reshape to (n, h, d), then swap the first two axes."
        ),
    ),
    "heads_not_in_front": Mistake(
        "The swap is missing",
        "The pieces are right, but the tokens still stand in front: (n, h, d). Swap the first two axes.",
    ),
    "heads_interleaved": Mistake(
        "The heads take every h-th column",
        "Head 0 owns the first d columns, head 1 the next d. Reshape to (n, h, d), not to (n, d, h).",
    ),
    "heads_averaged": Mistake(
        "The heads are averaged",
        "An average forgets which head said what. The heads' outputs stand side by side, and W_O mixes them.",
    ),
    "heads_summed": Mistake(
        "The heads are added up",
        "A plain sum treats all heads alike. They stand side by side, so that W_O can weigh each one.",
    ),
    "heads_reversed": Mistake(
        "The heads are in the wrong order",
        "Head 0 comes first: W_O's first rows belong to it.",
    ),
    "no_W_O": Mistake(
        "W_O is left out",
        "The heads' outputs stand side by side but nothing mixes them. The output is concat @ W_O.",
    ),
    "one_head": Mistake(
        "One wide head",
        "The projections are not cut into heads, so there is a single attention map. Split Q, K and V first.",
    ),
    "W_O_columns": Mistake(
        "Columns of W_O in place of rows",
        "concat's columns meet W_O's rows, so head i owns rows i*d_v to (i+1)*d_v.",
    ),
    "W_O_first_rows": Mistake(
        "Every head uses the first rows of W_O",
        "Head i owns rows i*d_v to (i+1)*d_v of W_O.",
    ),
    "W_O_interleaved": Mistake(
        "Every h-th row of W_O",
        "The heads stand side by side in concat, so each owns rows of W_O that follow each other.",
    ),
    "tiled_instead_of_repeated": Mistake(
        "Tiled in place of repeated",
        "Key head 0 serves query heads 0 to r-1, so the order is 0 0 1 1, not 0 1 0 1. That is np.repeat, not np.tile.",
    ),
    "repeated_along_tokens": Mistake(
        "Repeated along the tokens",
        "Each head is repeated, not each token: the axis of the heads is third from the end.",
    ),
    # cache
    "cache_overwrites": Mistake(
        "The cache is overwritten",
        "The new rows take the place of old ones. They come after them: nothing cached is lost.",
    ),
    "cache_replaced": Mistake(
        "Only the new rows are kept",
        "Everything cached before is lost. The new rows come after the old ones.",
    ),
    "cache_prepended": Mistake(
        "New rows in front",
        "The cache is in the order of the tokens: new rows come last.",
    ),
    "cache_along_features": Mistake(
        "Joined along the features",
        "Rows are tokens, so new tokens are new rows: join along axis 0.",
    ),
    "cache_aliases": Mistake(
        "The cache shares its memory with its input",
        "When the caller writes the next token into the same array, the cache changes too. Keep a copy.",
    ),
    "cache_unchanged": Mistake(
        "Nothing is appended",
        "The cache comes back as it was.",
    ),
    "cache_keeps_Q": Mistake(
        "The cache keeps q in place of k",
        "Later tokens read the keys of earlier ones and never their queries. Append k.",
    ),
    "forgets_new_token": Mistake(
        "The new token does not see itself",
        "Append first, then attend: the new token's own key is the last one it may read.",
    ),
    "values_not_appended": Mistake(
        "The values are not appended",
        "Each key needs its value: append to both caches.",
    ),
    "recomputes": Mistake(
        "The past is computed again",
        "The outputs are right, but project was called again for tokens it had already seen. Keep their k and v.",
    ),
    "sees_the_future": Mistake(
        "Every token sees the whole sentence",
        "When token i is decoded, the later ones are not there yet: it attends to 0 to i.",
    ),
    "last_output_only": Mistake(
        "Only the last output",
        "Each token's output is one row of the answer.",
    ),
    "new_tokens_see_all": Mistake(
        "New tokens see each other's future",
        "All cached keys are allowed. Among the new tokens, each sees itself and those before it.",
    ),
    "cache_hidden": Mistake(
        "The cached keys are forbidden",
        "Everything cached lies in the past, so every new token may read it.",
    ),
    "evicts_newest": Mistake(
        "The oldest are kept",
        "The window moves along with the text: keep the newest rows and drop the oldest.",
    ),
    "window_one_too_many": Mistake(
        "Off by one: one row too many",
        "After the new row is in, at most `window` rows stay.",
    ),
    "window_one_too_few": Mistake(
        "Off by one: one row too few",
        "The new row counts among the `window` rows that stay, and no more than the oldest must go.",
    ),
    "window_never_evicts": Mistake(
        "Nothing is dropped",
        "The cache grows for ever. Keep the newest `window` rows.",
    ),
    "window_cleared": Mistake(
        "Everything is dropped at once",
        "When the window is full, only the oldest row goes.",
    ),
    "keys_only": Mistake(
        "Only the keys are counted",
        "Each token keeps a key and a value: two rows for each layer and head.",
    ),
    "counts_Q": Mistake(
        "Queries are counted too",
        "Q, K and V make three, but Q is never cached.",
    ),
    "layers_forgotten": Mistake(
        "The layers are forgotten",
        "Every layer has keys and values of its own.",
    ),
    "heads_forgotten": Mistake(
        "The heads are forgotten",
        "Each key/value head keeps its own rows.",
    ),
    "bits": Mistake(
        "Bits in place of bytes",
        "bytes_per_number is in bytes already: 2 for float16.",
    ),
    "old_total_not_rescaled": Mistake(
        "The old total is not rescaled",
        "When a larger number comes, the old total was measured from the old largest: multiply it by exp(old - new).",
    ),
    "last_block_only": Mistake(
        "Only the last block",
        "The total runs over all blocks: carry it from one to the next.",
    ),
    "rescaled_the_wrong_way": Mistake(
        "Rescaled the wrong way round",
        "The factor is exp(old largest - new largest), at most 1. The other way round it grows.",
    ),
    "keeps_all_blocks": Mistake(
        "The blocks are collected first",
        (
            "The same memory is used for every block, so a kept block is overwritten "
            "by the next. Carry two numbers on and let each block go."
        ),
    ),
    "block_totals_added": Mistake(
        "Totals with different reference points are added",
        "Each block's total is measured from that block's own largest number. Bring them to one reference first.",
    ),
    # derivatives and measures
    "diagonal_only": Mistake(
        "Only the diagonal",
        "Raising one score lowers the other weights too: the entries off the diagonal are -w_i * w_j.",
    ),
    "sign": Mistake(
        "The sign is turned round",
        "Every entry has the opposite sign.",
    ),
    "outer_missing": Mistake(
        "The products are missing",
        "The matrix is diag(w) less the outer product of w with itself.",
    ),
    "zero_log_zero": Mistake(
        "nan from 0 times log 0",
        "A weight of 0 adds nothing to the entropy. Leave zeros out before taking the log.",
    ),
    "log_2": Mistake(
        "Bits in place of nats",
        "This uses log base 2. Here the natural log is asked for.",
    ),
    "entropy_over_queries": Mistake(
        "Summed over the wrong axis",
        "Each query's row of weights has one entropy: sum over the last axis.",
    ),
    "pair_exchanged": Mistake(
        "The two are in the wrong order",
        "Both are right, but they are returned the other way round.",
    ),
    "next_token": Mistake(
        "The next token in place of the previous one",
        "Rows are queries. The key before query i is in column i - 1, one below the main diagonal.",
    ),
    "own_token": Mistake(
        "The token itself",
        "That is the main diagonal. The key before query i is in column i - 1.",
    ),
    "first_query_counted": Mistake(
        "Divided by n",
        "The first query has no key before it, so n - 1 queries count.",
    ),
    "mean_missing": Mistake(
        "A sum in place of a mean",
        "Divide by the number of queries that count, so that maps of different sizes can be compared.",
    ),
    "only_that_head": Mistake(
        "Only that head is left",
        "This is what the head adds. Asked for is the output without it.",
    ),
    "output_columns_zeroed": Mistake(
        "Columns of the output set to 0",
        "A head has columns of its own in concat only. W_O spreads it over all columns of the output.",
    ),
    "nothing_switched_off": Mistake(
        "No head is switched off",
        "This is the whole output.",
    ),
    "mean_not_subtracted": Mistake(
        "The mean is not subtracted",
        "Raising one score lowers the other weights. That is the term - sum(w * g).",
    ),
    "mean_over_queries": Mistake(
        "The mean over the wrong axis",
        "Each query has a softmax of its own, so the sum runs over the keys of its row.",
    ),
    "mean_over_all": Mistake(
        "One mean for all rows",
        "`.sum()` adds up the whole matrix. Each query has a softmax of its own: one mean for each row.",
    ),
    "weights_forgotten": Mistake(
        "The factor w is missing",
        "A weight near 0 hardly moves: the difference is multiplied by the weight itself.",
    ),
    "one_sided": Mistake(
        "Measured from one side",
        "(f(x + step) - f(x)) / step has an error that shrinks only like the step. Measure from both sides.",
    ),
    "half_the_width": Mistake(
        "Divided by one step",
        "From x - step to x + step are two steps.",
    ),
    "step_forgotten": Mistake(
        "Not divided by the step",
        "A slope is a change for each unit moved.",
    ),
    "all_entries_moved": Mistake(
        "All entries moved at once",
        "Move one entry and leave the others, else all slopes come out as their sum.",
    ),
    "uphill": Mistake(
        "A step uphill",
        "The gradient points to where the loss grows. Subtract it.",
    ),
    "rate_ignored": Mistake(
        "The rate is not used",
        "The rate says how far to go: rate * d_W.",
    ),
    "only_the_step": Mistake(
        "The step without W",
        "The step is added to W.",
    ),
    "rate_times_W": Mistake(
        "W is multiplied too",
        "Only the gradient is multiplied by the rate.",
    ),
    "changes_input": Mistake(
        "The input is changed",
        "In-place steps such as `x -= ...` write into the caller's array. Make a new one: `x = x - ...`.",
    ),
}
