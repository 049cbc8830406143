"""What is said about the predictions of notebook 05."""

from ..predictions import Question

QUESTIONS = {
    "05.two_ways": Question(
        topic="one row, two keys",
        tolerance=0.06,
        digits=3,
        right="A row sums to 1. The smaller of two weights is largest where both are equal: at most 1/2.",
        wrong={
            "one": "Then both weights would be near 1 and the row would sum to 2. A row sums to 1.",
            "other": "A row sums to 1. The smaller of two weights is largest where they share it evenly.",
        },
    ),
    "05.who_barked": Question(
        topic="a blend forgets who is who",
        choices={"same": "the same number for both sentences", "different": "a different number for each"},
        right="An even blend of two values is the same blend when the two words change places.",
        wrong={"different": "dog and man change places, and both have the same weight: the sum stays as it was."},
    ),
    "05.head_width": Question(
        topic="width of a head",
        tolerance=0.01,
        digits=0,
        right="The width is divided among the heads: d_model / h.",
        wrong={
            "d_model": "That is the width of X. The heads share it, so each is narrower.",
            "product": "Heads do not add width: side by side they make up d_model again.",
            "other": "Side by side the heads make up d_model, so each has d_model / h columns.",
        },
    ),
    "05.parameters": Question(
        topic="cost of heads",
        choices={"same": "the same", "more": "more, by the number of heads", "fewer": "fewer, by the number of heads"},
        right="Each head has fewer columns in the same proportion as there are more heads.",
        wrong={
            "more": "Each head has its own projections, but they are narrower: together they fill the same matrix.",
            "fewer": "A narrower head has fewer parameters, but there are as many more heads.",
        },
    ),
    "05.reshape": Question(
        topic="reshape and transpose",
        choices={"same": "yes, the same numbers", "different": "no, the shape is right and the numbers are not"},
        right=(
            "reshape keeps the order in memory, so a head would get "
            "whole rows of other tokens. The swap of axes is needed."
        ),
        wrong={
            "same": (
                "A right shape is no proof. reshape reads the numbers row by row, so (h, n, d) mixes tokens and heads."
            ),
        },
    ),
    "05.identity": Question(
        topic="what W_O is for",
        choices={"concat": "the heads side by side", "sum": "the sum of the heads", "mean": "the mean of the heads"},
        right="With the identity nothing is mixed, and each head stays in its own columns.",
        wrong={
            "sum": "For a sum, W_O would have to put all heads into the same columns: identities on top of each other.",
            "mean": "No averaging happens anywhere unless W_O does it.",
        },
    ),
    "05.switch_off": Question(
        topic="a head's contribution",
        choices={
            "contribution": "the output loses that head's own contribution",
            "columns": "only that head's columns of the output become 0",
            "nothing": "nothing: the others make up for it",
        },
        right="concat @ W_O is a sum of one contribution a head, so the others stay exactly as they were.",
        wrong={
            "columns": "That is true of concat. W_O spreads each head over all columns of the output.",
            "nothing": "The heads do not know of each other. Nothing else changes, so its contribution is missing.",
        },
    ),
    "05.kv_heads": Question(
        topic="key/value heads",
        tolerance=0.01,
        digits=0,
        right=(
            "The cache holds one K and V for each key/value head, so the ratio of the heads is the ratio of the memory."
        ),
        wrong={
            "query_heads": "That is the number of query heads. Queries are not cached.",
            "kv_heads": "That is how many key/value heads are left, not how much is saved.",
            "other": "Divide the number of query heads by the number of key/value heads.",
        },
    ),
}
