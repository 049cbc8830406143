"""What is said about mistakes in scores, softmax, scale, projections and masks."""

from .mistake import Mistake

ATTENTION: dict[str, Mistake] = {
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
    "queries_for_keys": Mistake(
        "Queries in place of keys",
        "The scores are Q @ Q.T here: every query meets the queries. It must meet the keys, Q @ K.T.",
    ),
    "keys_for_queries": Mistake(
        "Keys in place of queries",
        "The scores are K @ K.T here. A score is a query row times a key row: Q @ K.T.",
    ),
    "products_not_added": Mistake(
        "The products are not added up",
        "A score is one number for each pair: multiply entry by entry, then add up over the d_k entries.",
    ),
    "own_key_only": Mistake(
        "Each query meets its own key alone",
        "Q * K pairs row i with row i. Every query meets every key: that is the matrix product Q @ K.T.",
    ),
    "scores_returned": Mistake(
        "The scores, not the output",
        "The steps after the scores are missing: softmax, then the weighted sum of the values.",
    ),
    "matrix_product": Mistake(
        "A matrix product does the work",
        "The numbers are right, but the task is to do without a product of matrices: one query and one key at a time.",
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
    "mean_subtracted": Mistake(
        "The mean is subtracted",
        "The largest number may lie far above the mean, so exp still overflows. Subtract the largest.",
    ),
    "divided_by_largest": Mistake(
        "Divided by the largest number",
        "Dividing changes the differences between the numbers, and with them the softmax. Subtract the largest.",
    ),
    "clipped": Mistake(
        "The numbers are cut off",
        "Numbers beyond the limit all count alike, so their differences are lost. Subtract the largest instead.",
    ),
    "first_axis_always": Mistake(
        "The axis is ignored",
        "It works along the first axis whatever axis is asked for.",
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
    "softmax_twice": Mistake(
        "The softmax is taken twice",
        "Weights that sum to 1 already go through exp once more, which makes them nearly equal.",
    ),
    "sigmoid": Mistake(
        "A sigmoid in place of the softmax",
        "1 / (1 + exp(-score)) looks at each score alone. The softmax compares a row's scores, so that they sum to 1.",
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
    "divided_by_twice_d_k": Mistake(
        "Divided by 2 · d_k",
        "scores / d_k ** 1 / 2 is (scores / d_k) / 2: ** binds first, then Python divides from left to right. "
        "Write d_k ** 0.5 or np.sqrt(d_k).",
    ),
    "scaled_by_d_model": Mistake(
        "Divided by d_model",
        "A score adds up d_k products. d_model, the width of X, does not enter, and the divisor is a root.",
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
    "multiplied_by_d_k": Mistake(
        "Multiplied by d_k",
        "A score is a sum of d_k products and spreads too far. It is divided, by the square root of d_k.",
    ),
    "standardised": Mistake(
        "Divided by the spread of these scores",
        "The divisor does not depend on the numbers at hand: it is the square root of d_k.",
    ),
    "root_of_the_scores": Mistake(
        "The root covers the scores too",
        "Only d_k stands under the root: scores / np.sqrt(d_k). The root of a negative score is nan.",
    ),
    "softmax_too_soon": Mistake(
        "The softmax is taken already",
        "These are the weights. The scaled scores are the step before.",
    ),
    "root_of_the_temperature": Mistake(
        "Divided by the root of the temperature",
        "The scores are divided by the temperature itself.",
    ),
    "power_not_normalised": Mistake(
        "The rows no longer sum to 1",
        "weights ** (1 / temperature) has the right proportions. Divide each row by its sum once more, or divide "
        "the scores before the softmax.",
    ),
    "temperature_ignored": Mistake(
        "The temperature is not used",
        "Divide the scores by the temperature before the softmax. (One number added to all scores changes no weight.)",
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
    "not_projected": Mistake(
        "X in place of Q, K and V",
        "X is used as it is. Q, K and V are X @ W_Q, X @ W_K and X @ W_V.",
    ),
    "values_with_W_Q": Mistake(
        "Values made with W_Q",
        "V has a projection of its own: V = X @ W_V.",
    ),
    "projections_exchanged": Mistake(
        "Keys and values are exchanged",
        "K is made with W_K and meets the queries; V is made with W_V and is mixed.",
    ),
    "keys_mixed": Mistake(
        "Keys in place of values",
        "The keys decide the weights. What the weights mix are the values: weights @ V.",
    ),
    "best_value_alone": Mistake(
        "Only the value of the best key",
        "The largest score does not take all: every value counts, each by its weight.",
    ),
    "values_not_added": Mistake(
        "The weighted values are not added up",
        "Each value is multiplied by its weight; the output is their sum: weights @ V.",
    ),
    "product_entry_by_entry": Mistake(
        "* in place of @",
        "weights * V multiplies entry by entry. The weighted sum of the value rows is the matrix product weights @ V.",
    ),
    "projection_transposed": Mistake(
        "A projection is transposed",
        "Rows are tokens, so a token's row stands left of the projection: X @ W, with W of shape (d_model, d_k).",
    ),
    "weights_returned": Mistake(
        "The weights, not the output",
        "The weights say how much of each value to take. The output is weights @ V.",
    ),
    "weights_transposed": Mistake(
        "The weights are transposed",
        "Row i of the weights belongs to query i, so the output is weights @ V, without a transpose.",
    ),
    # masks
    "mask_added": Mistake(
        "The mask is added to the scores",
        "True counts as 1 and False as 0, so an allowed key gains 1 and a forbidden one keeps its score. "
        "Write -inf where it is False.",
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
    "inf_times_score": Mistake(
        "-inf times the score",
        "Times a negative score it is +inf, and times 0 it is nan. Write -inf itself.",
    ),
    "nan_for_inf": Mistake(
        "nan in place of -inf",
        "nan spreads through every sum. -inf becomes a weight of 0.",
    ),
    "rows_left_out": Mistake(
        "The forbidden entries are left out",
        "An index with a mask gives a flat list of what is allowed. The shape stays, with -inf where it is forbidden.",
    ),
    "largest_before_mask": Mistake(
        "The largest is taken before the mask",
        "The largest score may be a forbidden one. Where it lies far above the allowed ones, their exps all become 0. "
        "Mask first, then take the largest.",
    ),
    "mask_on_values": Mistake(
        "The mask on the values",
        "Which keys are forbidden differs from query to query. Mask the scores, not the values.",
    ),
    "only_itself": Mistake(
        "Each token sees itself alone",
        "The diagonal is allowed, and so is everything left of it: all earlier positions.",
    ),
    "allows_everything": Mistake(
        "Everything is allowed",
        "Nothing is forbidden. Keys after a query's own position are in its future.",
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
    "window_one_too_wide": Mistake(
        "Off by one: the window is too wide",
        "`left` counts the keys before a query: distances 0 to left, and no more.",
    ),
    "outside_the_window": Mistake(
        "The outside of the window",
        "This allows what lies further back than `left`. The window is what lies nearer.",
    ),
    "exactly_left_back": Mistake(
        "Only the key at the edge",
        "Allowed are all distances from 0 to left, not left alone.",
    ),
    "window_sees_next": Mistake(
        "The window sees the next token",
        "It looks back only: distances below 0 are the future.",
    ),
    "window_from_the_start": Mistake(
        "The window does not move",
        "It allows the first left + 1 keys to every query. The window moves along with the query.",
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
    "context_asks_itself": Mistake(
        "The context asks itself",
        "Q comes from the context too. The sequence that asks is X: Q = X @ W_Q.",
    ),
    "queries_from_context": Mistake(
        "Queries from the wrong sequence",
        "Q, K and V all come from the context here. The sequence that asks is X: Q = X @ W_Q.",
    ),
    "keys_from_X": Mistake(
        "Keys from the wrong sequence",
        "A key and its value belong to one token, so K and V both come from the context.",
    ),
    "order_in_place_of_largest": Mistake(
        "The whole order of the keys",
        "Asked is one position for each query: that of the largest weight.",
    ),
    "largest_marked": Mistake(
        "The largest is marked, not named",
        "True stands where the largest weight is. Asked is its position, a whole number: argmax.",
    ),
    "place_in_the_flat_map": Mistake(
        "Counted through the whole map",
        "Asked is the position within each row, from 0.",
    ),
    "softmax_over_batch": Mistake(
        "Softmax over the batch",
        "The first axis holds the sentences. Each row of each sentence sums to 1: use the last axis.",
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
}
