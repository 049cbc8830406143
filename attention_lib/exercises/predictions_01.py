"""What is said about the predictions of notebook 01."""

from .predictions import Question

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
    "01.equal_scores": Question(
        topic="equal scores",
        tolerance=0.006,
        digits=3,
        right="Equal scores share the unit equally: 1 divided by the number of keys.",
        wrong={
            "zero": "A score of 0 is not a weight of 0: exp(0) is 1, for every key alike.",
            "one": "The weights of a row sum to 1, so only a row with a single key has a weight of 1.",
            "other": "All keys have the same score, so all have the same weight, and they sum to 1.",
        },
    ),
    "01.double_query": Question(
        topic="size of the scores",
        choices={
            "same": "the weights stay as they are",
            "sharper": "the largest weight grows",
            "flatter": "the largest weight shrinks",
        },
        right="All scores double, so the gaps between them double, and exp turns gaps into ratios.",
        wrong={
            "same": (
                "Softmax does not notice a number added to all scores. A factor "
                "it does notice: the gaps between scores grow with it."
            ),
            "flatter": (
                "Larger gaps between scores make larger ratios between weights. Dividing, not multiplying, flattens."
            ),
        },
    ),
    "01.swap_keys": Question(
        topic="order of the tokens",
        choices={
            "nothing": "its output stays the same",
            "output": "its output changes",
        },
        right="The output is a sum over keys, and a sum does not depend on the order. Word order must be put into X.",
        wrong={
            "output": (
                "Each key keeps its value when they move together, and the weighted sum is the same in any order."
            ),
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
