"""What is said about a mistake where the usual sentence does not fit the names of a task, or the case that is shown."""

#: The task has an argument `axis`: no row and no last axis is meant.
ALONG_AXIS = {
    "softmax_over_everything": "All entries together sum to 1 here. Each slice along `axis` must sum to 1 on its own: "
    "sum along `axis`, with keepdims=True.",
    "keepdims_missing": "x.sum(axis=axis) has one axis less, so numpy lines it up with other axes. keepdims=True keeps "
    "each sum, and each largest number, beside its own slice.",
    "softmax_not_stable": "exp of a large number is inf, and inf / inf is nan. Subtract the largest number of each "
    "slice along `axis` first: the result is the same.",
    "largest_of_everything": "A slice that lies far below the largest number of another one becomes all zeros, and "
    "0 / 0 is nan. Take the largest along `axis`.",
}

#: The task has no Q and no K.
OF_THE_SCORES = {
    "softmax_over_queries": "Each column sums to 1 here. Each query shares out one unit of attention among the keys, "
    "so each row must: along the keys, the last axis of the scores. A transpose after the softmax comes too late.",
}

#: No power stands in the answer.
WITHOUT_A_POWER = {
    "half_power": "The divisor is the square root of d_k, and not its half: np.sqrt(d_k), or d_k ** 0.5.",
    "divided_by_twice_d_k": "The divisor is the square root of d_k, and not its double: np.sqrt(d_k), or d_k ** 0.5.",
}

#: Nothing overflows in the case that is shown.
ALL_EXPS_0 = {
    "softmax_not_stable": "exp of a number far below 0 is 0. Here all exps of a row are, and 0 / 0 is nan. Subtract "
    "the largest number of the row first, of its allowed keys where there is a mask: then one exp is 1.",
}

#: The task hands over no mask: it is to be made.
NO_MASK_GIVEN = {
    "mask_ignored": "None is laid on the scores here: a query gives weight to keys that stand behind its own place.",
}

#: The other sequence has a name of its own, `source`.
OF_THE_SOURCE = {
    "keys_from_X": "A key and its value belong to one token, so K and V both come from `source`.",
}

#: Nothing is tiled in the answer: heads are picked by a number.
WITHOUT_TILE = {
    "tiled_instead_of_repeated": "Key head 0 serves query heads 0 to r-1, so the order is 0 0 1 1, not 0 1 0 1: query "
    "head i reads key head i // r.",
}
