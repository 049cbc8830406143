"""What is said about the predictions of notebook 01."""

from ..predictions import Question

QUESTIONS = {
    "01.scores_shape": Question(
        topic="shape of the scores",
        choices={
            "pairs": "one row a query, one column a key",
            "features": "one row a query, one column a feature",
            "one": "one number a query",
        },
        right="Every query meets every key once, so there is a number for each pair.",
        wrong={
            "features": (
                "The product Q @ K.T adds up over the d_k features, so they are gone. What is left is query by key."
            ),
            "one": (
                "A query has a score with each key separately; only after the weighted sum is there one row a query."
            ),
        },
    ),
    "01.rows_or_columns": Question(
        topic="softmax axis",
        choices={
            "rows": "each row (the keys of one query)",
            "columns": "each column (the queries of one key)",
            "everything": "all weights together",
            "nothing": "none of these",
        },
        right="A query shares out one unit of attention among the keys.",
        wrong={
            "columns": (
                "A column tells how much a key receives from all queries. A popular key may receive more than 1."
            ),
            "everything": "Each query has a unit of its own to share out, so all weights together sum to n_queries.",
            "nothing": (
                "Softmax divides by a sum, so something sums to 1: the axis it runs over, the keys of one query."
            ),
        },
    ),
    "01.best_match": Question(
        topic="scores",
        right="Every entry of its own key is 1, so no product is lost: 1·1 + 1·1 + 1·1 + 1·1.",
        wrong={
            "other": "A score adds up the products entry by entry. This key has two ones, so only two products count.",
        },
    ),
    "01.twice_the_score": Question(
        topic="softmax looks at differences",
        tolerance=0.02,
        digits=3,
        right="The scaled scores differ by 1, and e to the 1 is 2.718.",
        wrong={
            "twice": "Softmax does not keep the ratio of the scores: e to the 2 is not twice e to the 1.",
            "square": "The difference of the scores counts, 2 - 1 = 1, and not the larger score: e, not e squared.",
            "other": "Divide the two weights: the sum below both is the same, and e to the 2 over e to the 1 is e.",
        },
    ),
    "01.edit_values": Question(
        topic="what W_V reaches",
        choices={
            "values": "V and the output",
            "map": "V, the weights and the output",
            "all": "everything but X",
        },
        right="Weights come from Q and K alone. Values are only mixed at the end.",
        wrong={
            "map": "The weights are the softmax of Q @ K.T, and V is not in it. V is mixed by the weights afterwards.",
            "all": "Q, K and the scores come from W_Q and W_K. W_V has no part in them.",
        },
    ),
    "01.bae": Question(
        topic="untrained maps",
        right="The numbers in W_Q and W_K were not trained, so nothing ties 배 to the word that explains it.",
        wrong={
            "고파서": (
                "That is the word that tells us which 배 is meant, and the one a trained "
                "model might find. With untrained numbers the map does not know it."
            ),
            "other": (
                "With untrained numbers the map is nearly flat, so which "
                "word comes first is an accident of the numbers."
            ),
        },
    ),
}
