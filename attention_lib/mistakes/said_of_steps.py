"""What is said where an answer was taken apart: which step differs, what was subtracted before exp."""

from .mistake import Mistake

STEPS: dict[str, Mistake] = {
    "cut_off_by_ints": Mistake(
        "Numbers are cut off where arrays of int come",
        "With floats it is right. An array that is made like an input of int, by `np.zeros_like` or `copy()`, holds "
        "whole numbers alone. Make it of floats: `np.zeros(x.shape)`, or write `x = x - ...`, which makes a new one.",
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
    # step by step
    "score_measures": Mistake(
        "Something else is measured",
        "What your numbers are, step by step. Compared: {key}, and {query}. Keys that count: {allowed}. Of several: "
        "{copies}. Queries that count: {queries}. Measured: {measured}.",
    ),
    "copy_looks": Mistake(
        "Another word is found",
        "What your answer is, step by step. Looked: {looked}. Of several: {picked}. Taken: {taken}. Lost on the way: "
        "{lost}. Where there is none: {otherwise}.",
    ),
    "second_attends": Mistake(
        "Something else is read",
        "What your answer is, step by step. Queries: {query}. Keys: {key}. Values: {value}. Mask: {mask}. Weights: "
        "{weights}. Added at the end: {added}.",
    ),
    "turns_by": Mistake(
        "Turned in another way",
        "What your answer is, step by step. Radians a position: {speeds}. Position of row r: {position}. Pairs: "
        "{pairs}. (x, y) becomes: {second}.",
    ),
    "step_turns": Mistake(
        "Another turn",
        "What your scores are, step by step, with n keys in the cache. The query is turned by: {query}. The new key "
        "by: {key}. The kept keys are taken: {kept}. The last row is: {row}.",
    ),
    "previous_measures": Mistake(
        "Something else is measured",
        "What your number is, step by step. Of {map} it takes: {taken}. From these: {made}.",
    ),
    "arriving_measures": Mistake(
        "Something else is measured",
        "What your numbers are, step by step. Of V: {length}. With the weights: {used}. Shares: {shares}.",
    ),
    "ablation_replaces": Mistake(
        "Something else is replaced",
        "What your answer is, step by step. Replaced: {replaced}. By: {given}. Returned: {returned}.",
    ),
    "piece_attends": Mistake(
        "Another step is taken",
        "What your output is, step by step. Keys and values: {order}. Allowed: {allowed}. Scores divided by: "
        "{divisor}. What is forbidden gets: {forbidden}.",
    ),
    "group_reads": Mistake(
        "Another head is read",
        "What your answer is, step by step. Query head i reads key head: {key}. Value head: {value}. Query: {query}. "
        "Scores divided by: {divisor}. Shares: {shares}. Tokens read: {tokens}.",
    ),
    "query_gradient_goes": Mistake(
        "Another way back",
        "What your gradient is, step by step. The mean that is subtracted: {mean}. Weights: {weights}. Divided: "
        "{divided}. By: {divisor}. Multiplied by: {keys}.",
    ),
}
