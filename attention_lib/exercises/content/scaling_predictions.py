"""What is said about the predictions of notebook 02."""

from ..predictions import Question

QUESTIONS = {
    "02.coin": Question(
        topic="variance of a score",
        tolerance=0.01,
        digits=1,
        right="Each of the two products has variance 1, and variances of independent numbers add up.",
        wrong={
            "root": "That is the spread, the root of the variance.",
            "largest": "That is the square of the largest score. Half of the scores are 0.",
            "other": "Square each score, weigh it by how often it comes, and divide by 16.",
        },
    ),
    "02.spread": Question(
        topic="root of d_k",
        tolerance=0.3,
        digits=1,
        right="The variance grows 4 times, so the spread, its root, grows 2 times.",
        wrong={
            "d_k": "The variance grows 4 times. The spread is the square root of the variance.",
            "none": "Every product adds variance, so longer vectors spread their scores further.",
            "other": "The variance of a score is d_k. The spread is its square root.",
        },
    ),
    "02.unscaled": Question(
        topic="saturation",
        tolerance=0.12,
        digits=2,
        right="The scores spread by 8, so the largest leaves the others far behind, "
        "and exp turns a distance into a ratio.",
        wrong={
            "flat": "That is 1/16, the weight of each key if all scores were equal. Undivided, they spread by 8.",
            "scaled": "That is what the divisor √d_k leaves. Undivided, the scores spread 8 times further.",
            "other": "A score that lies 3 above another gets exp(3) = 20 times its "
            "weight, and undivided scores spread by 8.",
        },
    ),
    "02.jacobian": Question(
        topic="saturation",
        choices={
            "smaller": "they move towards 0",
            "same": "they stay about the same",
            "larger": "they grow",
        },
        right="Every entry is a product of weights, or of a weight and what it lacks "
        "to 1. One of the two is always near 0.",
        wrong={
            "same": "The entries are made of the weights: p(1 − p) and −p·p. With one "
            "weight near 1, each has a factor near 0.",
            "larger": "Larger scores do not mean larger changes. A weight of almost 1 has nowhere to go.",
        },
    ),
    "02.divide_by_d_k": Question(
        topic="dividing by d_k",
        choices={
            "flatter": "flatter: the weights move towards 1/16",
            "same": "about the same as √d_k",
            "sharper": "sharper: one weight moves towards 1",
        },
        right="Dividing by d_k takes out the spread twice. The scores end up near 0 and the weights near 1/16.",
        wrong={
            "same": "At d_k = 64 the two divisors differ by a factor of 8, and softmax feels every factor.",
            "sharper": "A larger divisor brings the scores closer together, and close scores make equal weights.",
        },
    ),
    "02.median": Question(
        topic="mean and median of gradients",
        choices={
            "below": "far below the mean",
            "near": "near the mean",
            "above": "far above the mean",
        },
        right="Most queries are saturated, and the few that are not make the whole mean.",
        wrong={
            "near": "That would need all queries to be alike. Most are saturated, and a "
            "few, with two close scores, are not.",
            "above": "The norm is never above 0.5, so no few queries could pull the mean that far down.",
        },
    ),
    "02.query_gradient": Question(
        topic="the gradient at the query",
        choices={"1": "1, no divisor", "√d_k": "√d_k = 8", "d_k": "d_k = 64"},
        right="Nothing is divided on the way to q. The rows that are not saturated pass "
        "on so much that the mean is the largest.",
        wrong={
            "√d_k": "Its Jacobian is the largest on average, but on the way to q it is divided by 8.",
            "d_k": "Its Jacobian is not small, but on the way to q it is divided by 64.",
        },
    ),
    "02.learns": Question(
        topic="learning without a divisor",
        choices={"none": "nearly none", "some": "some, but fewer than half", "most": "more than half"},
        right="Rows that start saturated on a wrong key pass on little gradient and come round slowly.",
        wrong={
            "none": "A few rows start on or near their own key, and others get there, slowly.",
            "most": "The mean gradient is large, but it goes to a few queries. The others hardly move at first.",
        },
    ),
    "02.correlated": Question(
        topic="correlated queries and keys",
        choices={
            "level": "it stays level",
            "up": "it climbs towards 1",
            "down": "it falls towards 1/16",
        },
        right="The score of the matching key grows like d_k, and √d_k takes out only its root.",
        wrong={
            "level": "That holds for independent components. Correlated products do not "
            "cancel: their sum grows like d_k.",
            "down": "Flat weights need scores that come closer together. The matching key moves away from the others.",
        },
    ),
    "02.bae": Question(
        topic="when scaling matters",
        choices={
            "no": "the same word keeps the largest weight",
            "yes": "another word takes the largest weight",
        },
        right="Dividing by a positive number keeps the order of the scores, so it changes how much, never which.",
        wrong={
            "yes": "All scores are divided by the same positive number, so their order "
            "stays, and softmax keeps the order.",
        },
    ),
    "02.temperature": Question(
        topic="temperature",
        tolerance=0.01,
        digits=1,
        right="√d_k · T = d_k, so T = √d_k.",
        wrong={
            "d_k": "The scores are divided by √d_k already. T is what is missing to d_k.",
            "inverse": "That T multiplies the scaled scores by 8, which takes the divisor away.",
            "other": "√64 · T has to be 64.",
        },
    ),
    "02.half_power": Question(
        topic="** 1 / 2",
        tolerance=0.01,
        digits=1,
        right="** binds before /, so it is (64 ** 1) / 2.",
        wrong={
            "root": "That is 64 ** 0.5. Python reads 64 ** 1 / 2 as (64 ** 1) / 2.",
            "other": "Python works out 64 ** 1 first, then divides by 2.",
        },
    ),
    "02.shift": Question(
        topic="adding a number to all scores",
        choices={
            "same": "the weights stay the same",
            "sharper": "the largest weight grows",
            "larger": "all weights grow",
        },
        right="exp(a + c) is exp(a) times exp(c), and exp(c) cancels in the division. "
        "So the largest score may be subtracted.",
        wrong={
            "sharper": "Only the distances between scores count, and they have not changed.",
            "larger": "The weights still sum to 1, so they cannot all grow.",
        },
    ),
    "02.float16": Question(
        topic="overflow",
        choices={"11": "about 11", "88": "about 88", "709": "about 709", "65504": "about 65504"},
        right="The largest float16 is 65504, and exp of a little more than 11 is beyond it.",
        wrong={
            "88": "That is where float32 overflows. float16 has fewer bits for the exponent.",
            "709": "That is where float64 overflows.",
            "65504": "That is the largest float16 itself. exp reaches it very early.",
        },
    ),
}
