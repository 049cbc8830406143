"""Predictions of notebook 09."""

from ..predictions import Question

QUESTIONS = {
    "09.which_is_wrong": Question(
        topic="a wrong map can look right",
        choices={
            "first": "the first",
            "second": "the second",
            "neither": "neither: both are right",
            "cannot tell": "the pictures cannot tell",
        },
        right="It was divided by d_k. Nothing in the picture says so: both maps are causal, and every row sums to 1.",
        wrong={
            "first": "That is the right one. Nothing in the pictures alone tells them apart.",
            "neither": "Both look right, and that is the point. One of them was divided by d_k.",
        },
        also_right={
            "cannot tell": "Both maps are causal, and every row sums to 1. One was divided by d_k, {answer}, and "
            "nothing in the pictures says so."
        },
    ),
    "09.wrong_axis": Question(
        topic="what catches a wrong axis",
        choices={
            "shape": "the shape of the weights",
            "row sums": "the sums of the rows",
            "nothing": "none of these two",
        },
        right="With the softmax over the queries each column sums to 1, and the rows sum to anything.",
        wrong={
            "shape": "The shape is the same whichever axis the softmax runs over. That is why this mistake lives long.",
            "nothing": "Each row should hand out exactly one unit of attention. Add up the rows and it shows at once.",
        },
    ),
    "09.uncaught": Question(
        topic="mistakes that nothing catches",
        tolerance=2,
        digits=0,
        right="A third. All of them keep what the invariants ask for, and only the numbers are others.",
        wrong={
            "none": "Five of them are wrong scales alone: every row still sums to 1 and nothing leaks.",
            "all": "Whatever leaks from the future, or breaks a row's sum, is caught, and most mistakes do.",
            "other": "Invariants catch what leaks and what breaks a sum. A wrong scale or a missing W_O does neither.",
        },
    ),
    "09.finite_fill": Question(
        topic="a mistake that waits",
        choices={
            "nothing": "nothing: the same numbers",
            "little": "a little, everywhere",
            "much": "the masked half of the map",
        },
        right="exp(-1e9) is 0 in any float. It waits for a row whose allowed scores are lower still.",
        wrong={
            "little": "exp(-1e9 - largest) is exactly 0 here, as with -inf. No digit changes.",
            "much": "The masked half is 0 in both, as long as the allowed scores are of ordinary size.",
        },
    ),
}
