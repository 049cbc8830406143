"""What notebook 12 asks: sums of rounded numbers, what a check can refuse, and what rounding explains."""

from ..predictions import Question

QUESTIONS = {
    "12.sum": Question(
        topic="round at the end",
        choices={
            "right": "from the exact numbers, rounded at the end",
            "rounded first": "from the six numbers as printed",
            "slip": "from a slip in adding",
        },
        right="Each term was rounded before it was added, so the rounding of six terms is in the sum.",
        wrong={
            "right": (
                "Five times e and once e² make 20.9805, which is 20.980 to three digits. The terms are right; "
                "their rounding added up."
            ),
            "slip": "The six printed terms do add up to the printed sum. What is in it is their rounding.",
        },
    ),
    "12.sums_to_one": Question(
        topic="what a check can refuse",
        choices={
            "right": "they were 5, 1, 7, each divided by √2",
            "small": "none of them was very large",
            "nothing": "nothing",
        },
        right="Softmax divides by the sum, so its weights sum to 1 whatever the scores were.",
        wrong={
            "right": "Softmax divides by the sum. It makes any three scores sum to 1, these and all others.",
            "small": "Large scores sum to 1 as well: softmax divides by the sum, however large it is.",
        },
    ),
    "12.row_sum": Question(
        topic="rounding adds up",
        tolerance=0.0001,
        digits=3,
        right="Half a unit of the last digit, 0.0005, for each of the eight numbers, if all err to the same side.",
        wrong={
            "one": "That is one number. A row has eight, and all of them may err to the same side.",
            "unit": "A number rounded to three digits is off by at most half of 0.001. Then there are eight.",
            "other": "Each number is off by at most 0.0005, half of its last digit, and there are eight in a row.",
        },
    ),
    "12.other_W": Question(
        topic="least squares",
        choices={"none": "none", "one": "one", "some": "many"},
        right="X @ W reaches only mixtures of the four columns of X, and the printed Q lies outside of them.",
        wrong={
            "one": (
                "Least squares finds one that is nearest, and the nearest still misses by more than rounding explains."
            ),
            "some": (
                "X @ W reaches only mixtures of the four columns of X. The best of them still misses the printed Q by "
                "more than rounding explains."
            ),
        },
    ),
    "12.hungry": Question(
        topic="what a map can say",
        tolerance=0.1,
        digits=0,
        right="All eight weights lie near one eighth, and 고파서 comes seventh: nothing made 배 look at it.",
        wrong={
            "none": "That is what the article concludes. Computed, 고파서 comes seventh of the eight.",
            "other": "Computed, 고파서 comes seventh of the eight, and all of them lie near one eighth.",
        },
    ),
    "12.which_check": Question(
        topic="properties as checks",
        choices={
            "shape": "the shape of the result",
            "positive": "that all numbers are positive",
            "total": "that all numbers together sum to 1",
            "rows": "that each row sums to 1",
        },
        right="Each query has a unit of its own to share out. Summed over everything, six rows share a single one.",
        wrong={
            "shape": "Both functions give a number for each pair: six by six.",
            "positive": "An exponential over a sum of exponentials is positive, whatever the sum runs over.",
            "total": "The softmax over everything passes this one. The right map fails it: its six rows sum to 6.",
        },
    ),
    "12.your_turn": Question(
        topic="the smallest slip",
        choices={
            "undivided": "the scores were not divided",
            "by d_k": "they were divided by 4, not by 2",
            "without exp": "they were divided by their sum, without exp",
            "none": "none: the row is right",
        },
        right="Softmax of 3, 1, 2 gives the sheet's three numbers; with the root of d_k it is 0.506, 0.186, 0.307.",
        wrong={
            "by d_k": "Divided by 4 the row is flatter: 0.419, 0.254, 0.326.",
            "without exp": "3, 1, 2 over 6 is 0.500, 0.167, 0.333. The sheet's row is sharper.",
            "none": "Divided by the root of 4 the row is 0.506, 0.186, 0.307. A sum of 1 says nothing of scores.",
        },
    ),
}
