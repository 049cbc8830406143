"""What is said about mistakes in scores, softmax, scale and projections."""

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
            "attention among the keys, so each row must: along the keys, the last "
            "axis of Q @ K.T. A transpose after the softmax comes too late."
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
    "fixed_number_subtracted": Mistake(
        "The same number is subtracted always",
        "One number fits some scores and no others: exp overflows above it, and becomes 0 far below. Subtract the "
        "largest of each slice.",
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
    "largest_after_exp": Mistake(
        "The largest is subtracted after exp",
        "Only before exp does it cancel: exp(x - m) is exp(x) / exp(m). Afterwards it changes every share, and exp has "
        "overflowed already.",
    ),
    "axis_in_one_place": Mistake(
        "Two axes in one softmax",
        "The largest and the sum are taken along two different axes. Within one slice every number must lose the same, "
        "and be divided by the sum of that slice: `axis` in both.",
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
            "The spread of a score grows like the square root of d_k, so dividing by d_k, "
            "at once or by the root twice, takes too much and flattens the weights."
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
    "divided_by_the_square": Mistake(
        "Divided by the square of d_k",
        "It is the root of d_k: np.sqrt(d_k), or d_k ** 0.5.",
    ),
    "third_root": Mistake(
        "The third root of d_k",
        "It is the square root: np.sqrt(d_k), or d_k ** 0.5.",
    ),
    "caret_for_a_power": Mistake(
        "^ is not the power",
        "In Python ^ compares the bits of two whole numbers. A power is **: 9 ** 0.5 is 3.",
    ),
    "logarithm_for_a_root": Mistake(
        "A logarithm in place of the root",
        "The spread of a score grows like the square root of d_k, and not like its logarithm: np.sqrt(d_k).",
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
}
