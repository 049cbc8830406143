"""What is said where an answer was taken apart: which step differs, what was subtracted before exp."""

from .mistake import Mistake

BEFORE_EXP: dict[str, Mistake] = {
    "cut_off_by_ints": Mistake(
        "Numbers are cut off where arrays of int come",
        "With floats it is right. An array that is made like an input of int, by `np.zeros_like` or `copy()`, holds "
        "whole numbers alone. Make it of floats: `np.zeros(x.shape)`, or write `x = x - ...`, which makes a new one.",
    ),
    # what runs, and what is returned
    "lined_up_with_columns": Mistake(
        "A number for each row lies along the columns",
        "numpy lines up axes from the right, so an array of shape {small} meets the columns of one of shape {large}. "
        "`keepdims=True` or `[..., None]` keeps it beside its rows. Where both sizes are equal there is no error, and "
        "the numbers are wrong.",
    ),
    "runs_only_where": Mistake(
        "It runs for some sizes alone",
        "It runs where {where}, and raises an error in every other case. Which line takes a size, an axis or a number "
        "that is right there alone?",
    ),
    "one_part_of_several": Mistake(
        "Only one thing is returned",
        "What is returned is right: the thing at position {i} of those asked for. All {n} are asked for: "
        "`return first, second`.",
    ),
    "rows_in_proportion": Mistake(
        "Rows in the right proportion, with another sum",
        "The weights of a row stand to each other as they should, and forbidden keys have 0. But a row sums to {sum} "
        "here: divide it by the sum of what is left in it, the allowed keys.",
    ),
    # what is read
    "tokens_repeated": Mistake(
        "Tokens are repeated, not heads",
        "Axis 1 is the tokens. Repeated there and then reshaped, a head gets some tokens several times and others not "
        "at all. Repeat along axis 0, the heads.",
    ),
    "one_head_alone": Mistake(
        "One head alone",
        "This is what the first head, or the last, adds to the output. All heads are asked for: where each turn of a "
        "loop overwrites the one before, add them up.",
    ),
    "nothing_turned_against_the_cache": Mistake(
        "New and kept rows are not turned against each other",
        "Either the new query and the new key are not turned at all, or the kept keys are turned by n once more, as "
        "the query is, which cancels. The cache holds turned keys: turn what is new, and that alone.",
    ),
    "word_after_the_key": Mistake(
        "The word after the key",
        "The word of the query is compared with the word that comes AFTER the key. Asked is the word BEFORE the key: "
        "shift `ids` the other way.",
    ),
    "key_before_the_copy": Mistake(
        "The key before the copy",
        "The weights are those on the key that stands right BEFORE the copy. Asked is the one right behind it: move "
        "the places the other way.",
    ),
    "queries_moved": Mistake(
        "The queries are moved, not the keys",
        "Axis 0 is the queries. The key stands one place behind the copy: move along axis 1, the keys.",
    ),
    "averaged_over_copies": Mistake(
        "The mean over copies, not over queries",
        "It is divided by how many keys count in all, so a word that stood twice before counts twice in the divisor. "
        "Add up within each query, then take the mean over the queries.",
    ),
    "averaged_over_heads": Mistake(
        "The mean over the heads",
        "Asked is one number for each head: the mean runs over the queries, the last axis.",
    ),
    "likeliest_returned": Mistake(
        "Which word, not how likely each is",
        "It returns the place of the likeliest word. Asked is how likely each word is: a row of shares for each text.",
    ),
    # before exp
    "place_subtracted": Mistake(
        "The place of the largest, not the largest",
        "argmax says where the largest number stands. Subtract the number itself, which max gives.",
    ),
    "undivided_largest": Mistake(
        "The largest of the undivided numbers",
        "The largest number is taken before the division and subtracted after it. Divide first, then take the largest "
        "of what goes into exp.",
    ),
    "temperature_raised": Mistake(
        "Low temperatures are raised",
        "Where the temperature is lower, the shares are those at {least}. Divide by the temperature as it is: once the "
        "largest is subtracted, no exp is above 1.",
    ),
}

#: What stands in front of the steps that differ.
LEADS = {
    "every": "In every case your numbers are those of the right steps, but for this.",
    "wrong": "Where they are wrong, your numbers are those of the right steps, but for this.",
}

#: How a step is said that differs, for each exercise that is taken apart.
STEP_LINES: dict[str, dict[str, str]] = {
    "score_measures": {
        "key": "Compared: {way}; asked: {right}.",
        "query": "With: {way}; asked: {right}.",
        "allowed": "Keys that count: {way}; asked: {right}.",
        "copies": "Of several such keys: {way}; asked: {right}.",
        "beside": "Counted: {way}; asked: {right}.",
        "queries": "Queries that count: {way}; asked: {right}.",
        "measured": "Measured: {way}; asked: {right}.",
    },
    "copy_looks": {
        "looked": "Looked: {way}; asked: {right}.",
        "picked": "Of several copies: {way}; asked: {right}.",
        "taken": "Taken: {way}; asked: {right}.",
        "lost": "Counted as new: {way}; asked: {right}.",
        "otherwise": "Where there is no copy: {way}; asked: {right}.",
    },
    "second_attends": {
        "query": "Queries: {way}; asked: {right}.",
        "key": "Keys: {way}; asked: {right}.",
        "value": "Values: {way}; asked: {right}.",
        "mask": "Mask: {way}; asked: {right}.",
        "weights": "Weights: {way}; asked: {right}.",
        "added": "Added at the end: {way}; asked: {right}.",
    },
    "turns_by": {
        "speeds": "Radians a position: {way}; asked: {right}.",
        "position": "Position of row r: {way}; asked: {right}.",
        "pairs": "Pairs: {way}; asked: {right}.",
        "second": "(x, y) becomes: {way}; asked: {right}.",
    },
    "step_turns": {
        "query": "With n keys in the cache the query is turned by: {way}; asked: {right}.",
        "key": "The new key is turned by: {way}; asked: {right}.",
        "kept": "The kept keys are taken: {way}; asked: {right}.",
        "row": "The last row is: {way}; asked: {right}.",
    },
    "previous_measures": {
        "map": "The map: {way}; asked: {right}.",
        "taken": "Taken of it: {way}; asked: {right}.",
        "made": "Made of these: {way}; asked: {right}.",
    },
    "arriving_measures": {
        "length": "Of each value: {way}; asked: {right}.",
        "used": "With the weights: {way}; asked: {right}.",
        "shares": "Shares: {way}; asked: {right}.",
    },
    "ablation_replaces": {
        "replaced": "Replaced: {way}; asked: {right}.",
        "given": "By: {way}; asked: {right}.",
        "returned": "Returned: {way}; asked: {right}.",
    },
    "piece_attends": {
        "order": "Keys and values: {way}; asked: {right}.",
        "returned": "K and V returned: {way}; asked: {right}.",
        "allowed": "Allowed: {way}; asked: {right}.",
        "divisor": "Scores divided by: {way}; asked: {right}.",
        "forbidden": "What is forbidden gets: {way}; asked: {right}.",
    },
    "left_pads": {
        "real": "Real columns: {way}; asked: {right}.",
        "causal": "Keys of a query: {way}; asked: {right}.",
        "joined": "True for: {way}; asked: {right}.",
        "positions": "Positions: {way}; asked: {right}.",
    },
    "classifier_goes": {
        "p": "p is: {way}; asked: {right}.",
        "error": "At the logits: {way}; asked: {right}.",
        "divided": "Divided: {way}; asked: {right}.",
        "shared": "d_W_C is: {way}; asked: {right}.",
    },
    "group_reads": {
        "key": "Query head i reads key and value head: {way}; asked: {right}.",
        "value": "The head of the values is: {way}; asked: {right}.",
        "query": "The query of a head: {way}; asked: {right}.",
        "divisor": "Scores divided by: {way}; asked: {right}.",
        "shares": "Shares: {way}; asked: {right}.",
        "tokens": "Tokens read: {way}; asked: {right}.",
    },
    "query_gradient_goes": {
        "mean": "The mean that is subtracted: {way}; asked: {right}.",
        "weights": "Weights: {way}; asked: {right}.",
        "divided": "Divided: {way}; asked: {right}.",
        "divisor": "Divided by: {way}; asked: {right}.",
        "keys": "Multiplied by: {way}; asked: {right}.",
    },
}

STEPS: dict[str, Mistake] = BEFORE_EXP | {
    mistake: Mistake("Something else is calculated", "{lead} {steps}") for mistake in STEP_LINES
}
