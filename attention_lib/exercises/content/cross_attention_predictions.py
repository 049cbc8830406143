"""What is said about the predictions of notebook 04."""

from ..predictions import Question

QUESTIONS = {
    "04.map_shape": Question(
        topic="shape of a cross-attention map",
        choices={
            "target_by_source": "one row a target word, one column a source word",
            "source_by_target": "one row a source word, one column a target word",
            "square": "square",
        },
        right="Rows are queries, and the queries come from the sequence that asks.",
        wrong={
            "source_by_target": (
                "Rows are queries. The target asks, so its words are the "
                "rows; the source is read, so its words are the columns."
            ),
            "square": "The map is square only where both sequences have the same length.",
        },
    ),
    "04.values": Question(
        topic="where values come from",
        choices={"source": "the source (the context)", "target": "the target (X)", "both": "both"},
        right="Keys and values belong together: a query finds a key of the source and takes that token's value.",
        wrong={
            "target": (
                "The target gives the queries: they decide how much, not what. What is mixed are the source's values."
            ),
            "both": "The target decides the weights. The rows that are mixed are all from the source.",
        },
    ),
    "04.row_sums": Question(
        topic="softmax axis",
        choices={
            "rows": "the weights of each target word",
            "columns": "the weights on each source word",
            "everything": "the whole map",
            "nothing": "none of these",
        },
        right="Each target word shares out one unit among the source words.",
        wrong={
            "columns": (
                "A source word may be read by several target words, or by none, so its column can sum to anything."
            ),
            "everything": (
                "Each target word has a unit of its own, so the whole map sums to the number of target words."
            ),
            "nothing": "Softmax divides by a sum: the one over the source words, for each target word.",
        },
    ),
    "04.chicken": Question(
        topic="crossing word order",
        right="The alignment follows meaning and not position, so the map leaves the diagonal.",
        wrong={
            "other": "Korean puts the verb last and the object before it. Positions do not line up; the embeddings do.",
        },
    ),
    "04.padding": Question(
        topic="padding of the source",
        choices={
            "shrink": "they shrink",
            "same": "they stay the same",
            "grow": "they grow",
        },
        right="Each pad column takes a share, and what it takes is missing elsewhere. That is what the mask is for.",
        wrong={
            "same": "A pad token has a key like any other, and its score enters the sum of the softmax.",
            "grow": "The weights of a row sum to 1. More columns to share with leaves less for each.",
        },
    ),
    "04.self_case": Question(
        topic="self-attention as a special case",
        choices={"same": "the same numbers as self-attention", "different": "different numbers"},
        right="With context = X, Q, K and V all come from X, which is self-attention.",
        wrong={
            "different": "The steps after the projections are the same, and with context = X so are the projections."
        },
    ),
    "04.reorder": Question(
        topic="order of the source",
        choices={
            "output_same": "the columns move, the output stays",
            "both_change": "the columns move, and the output changes",
            "nothing": "neither changes",
        },
        right="Each weight goes with its word, and a sum does not depend on the order of its terms.",
        wrong={
            "both_change": (
                "The output adds up weight times value over all keys. In another order these are the same terms."
            ),
            "nothing": "The keys stand in another order, and so do the columns of the map. Their sum is the same.",
        },
    ),
    "04.causal": Question(
        topic="causal mask in cross-attention",
        choices={
            "verb": "먹었다, as before",
            "others": "나는 and 어제, half each",
            "nothing": "nothing at all",
        },
        right="The verb is the last Korean word, and a causal mask lets the second query read two keys.",
        wrong={
            "verb": "The mask counts places: the second query may read the first two keys, and 먹었다 is the fifth.",
            "nothing": "Two keys are still allowed, and softmax shares the whole row between them.",
        },
    ),
}
