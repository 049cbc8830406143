"""What is said where the numbers of an answer, or answers to other arguments, show what is wrong."""

from .mistake import Mistake
from .said_of_places import PLACES

NUMBERS: dict[str, Mistake] = PLACES | {
    # right numbers in other places
    "reordered": Mistake(
        "Another order",
        "The {slices} are the right ones, in another order: here they are those that belong at {places}, where "
        "{needed} is asked for.",
    ),
    "slices_missing": Mistake(
        "Some are missing",
        "The {slices} that are there are right, but there are {had} of them and not {needed}. Missing are those at "
        "{missing}.",
    ),
    "another_count": Mistake(
        "Another number of them",
        "Each of the {slices} is a right one, but there are {had} of them and not {needed}. How many times must "
        "each stand there?",
    ),
    "read_in_another_order": Mistake(
        "Reshaped without the transpose",
        "The numbers are right, but they were read off along other axes: a reshape does not exchange axes. Swap them "
        "first.",
    ),
    "sorted": Mistake(
        "The numbers are sorted",
        "Along one axis the right numbers stand in order of size. Each belongs to a place of its own.",
    ),
    "left_at_zero": Mistake(
        "Some places were left at 0",
        "Where it is wrong there is 0, and all else is right. Does the loop, or the slice, reach every place?",
    ),
    "running_sums": Mistake(
        "Running sums",
        "Each holds its own numbers and those of all before it. Asked is what each one has alone.",
    ),
    "mean_everywhere": Mistake(
        "The mean in every place",
        "Along one axis all are alike, and hold the mean of those that are asked for. Each has numbers of its own.",
    ),
    "output_calculated_anew": Mistake(
        "The output is calculated anew",
        "The map is right. The output needs no weights: its rows are the old rows, each where its query now stands.",
    ),
    "orders_found": Mistake(
        "Another list for an axis",
        "The rows of the map stand in this order: {rows}. Its columns: {columns}. The rows of the output: {output}. "
        "Rows go with `queries`, in both; columns of the map go with `keys`.",
    ),
    "W_O_rows_met": Mistake(
        "Other rows of W_O",
        "Head by head these rows of W_O are used here: {met}. It needs {own}: head i owns rows i*d_v to (i+1)*d_v.",
    ),
    "W_O_block_mixed": Mistake(
        "The numbers of W_O are mixed",
        "Each head meets the numbers of its own rows of W_O, but in other places. W_O.reshape(h, d_v, -1) leaves the "
        "rows as they are.",
    ),
    "heads_and_tokens_mixed": Mistake(
        "Heads and tokens are mixed",
        "The rows of W_O are right, and the numbers that meet them stand in other places: a reshape of (h, n, d_v) "
        "does not put the heads side by side. Swap the first two axes before it.",
    ),
    # shapes
    "axis_of_one_filled": Mistake(
        "An axis must have length 1",
        "One axis must have length 1, so that NumPy repeats it; here it is longer. Something was added along it, a "
        "second condition say.",
    ),
    "axis_of_one": Mistake(
        "The last axis has length 1",
        "The last axis has length 1 where it must be longer: along it there is a single number in place of one for "
        "each place. Is it still to be compared with all positions, or was it summed?",
    ),
    # factors and powers
    "another_base_of_logarithm": Mistake(
        "Another base than e",
        "Every number is {factor} times what it needs to be, and that is {label}. The exps of a softmax are powers of "
        "e, so their logarithm is the natural one, np.log.",
    ),
    "exp_of_another_base": Mistake(
        "Another base than e",
        "These are the shares of {base} to the power of each number. The softmax takes powers of e: np.exp.",
    ),
    "differences_times": Mistake(
        "The differences are stretched",
        "The shares are those of numbers that lie {times} times as far apart as they do. Adding or subtracting one "
        "number is harmless; multiplying or dividing before exp is not.",
    ),
    "power": Mistake(
        "A power of the numbers",
        "The sizes go with the power {power} of what is needed: twice as much becomes {times} times as much. Does a "
        "root, or a square, cover more than it should?",
    ),
    "on_a_grid": Mistake(
        "Only some numbers were tried",
        "Every answer is a multiple of {step}, and what is needed is not. Trying numbers finds only those that are "
        "tried: calculate it.",
    ),
    "roots_of_whole_numbers": Mistake(
        "Only some numbers were tried",
        "Every answer is the root of a whole number, and what is needed is not. Trying numbers finds only those that "
        "are tried: calculate it.",
    ),
    "divisor_constant": Mistake(
        "The same divisor for every d_k",
        "The scores are divided by {divisor} whatever d_k is. With d_k = {d_k}, say, {what} is {root}.",
    ),
    "divisor_made_of": Mistake(
        "The scores are divided by another number",
        "The weights are those of scores divided by {made}. In a case of our own, with {n_keys} keys and d_k = {d_k}, "
        "that is {divisor}, and {what} is {root}.",
    ),
    # the range of exp
    "exps_vanish": Mistake(
        "Every exp of a row becomes 0",
        "exp of a number far below 0 is 0, and 0 / 0 is nan. Subtract the largest number of the row itself, below 0 or "
        "not: then its largest exp is 1.",
    ),
    # the answer run again
    "no_say": Mistake(
        "An argument has no say",
        "With other numbers for `{name}`, and all else as it was, your answer stays the same. The right one does not.",
    ),
    "several_have_no_say": Mistake(
        "Several arguments have no say",
        "With other numbers for any one of these, and all else as it was, your answer stays the same: {names}. The "
        "right one does not.",
    ),
    "only_sizes_have_a_say": Mistake(
        "Only the sizes have a say",
        "With other numbers in {names} your answer stays the same, as long as there are as many. The right one goes by "
        "the numbers.",
    ),
    "same_answer_always": Mistake(
        "The same answer always",
        "Whatever it is given, it returns the same. The example of the task is one case of many.",
    ),
    "height_has_a_say": Mistake(
        "The height of the scores has a say",
        "All scores higher by 1 have the same weights, so the same divisor; yours moves by {moved}. Only differences "
        "between scores tell, and ratios of weights.",
    ),
    "not_by_logarithms": Mistake(
        "The weights do not enter by a logarithm of their ratio",
        "Each weight squared, and divided by their sum, is what half the divisor gives. Yours is off by {moved} from "
        "its half. A ratio of weights is exp(difference / divisor): which function undoes exp?",
    ),
    "later_blocks_unread": Mistake(
        "Only the first block counts",
        "Without the later blocks the answer is the same. Does the `return` stand inside the loop?",
    ),
    "memory_read_again": Mistake(
        "A block is read after its memory was used again",
        "With memory of its own for every block the answer is right. A block is only there until the next one comes: "
        "take from it what you need, at once.",
    ),
    "one_number_of_a_block": Mistake(
        "One number of each block counts",
        "Of each block one number has a say: with others in the place of the rest the answer stays the same. Each "
        "number of a block adds its exp to the total.",
    ),
    "order_within_a_block": Mistake(
        "The order within a block has a say",
        "The same scores of a block, the other way round, move the answer by {moved}. The largest of a block may stand "
        "anywhere in it.",
    ),
    "total_not_relative": Mistake(
        "The total is not relative to the largest",
        "All scores higher by 1 make the largest higher by 1, and leave the sum of exp(score - largest) as it is. "
        "Yours is off by {moved}.",
    ),
    "order_of_the_blocks": Mistake(
        "The order of the blocks has a say",
        "The same blocks, the last one first, move the answer by {moved}. What must happen to the old total when a "
        "larger score turns up, and only then?",
    ),
    "another_question": Mistake(
        "The right answer to another question",
        "It is what the right steps give where `{name}` is {change}.",
    ),
    "arguments_exchanged": Mistake(
        "Two arguments are exchanged",
        "It is what the right steps give with `{first}` and `{second}` in each other's place.",
    ),
    # tests
    "assert_of_a_tuple": Mistake(
        "An assert that cannot fail",
        "`assert (condition, text)` asserts a tuple of two things, and a tuple that is not empty is true. Leave out "
        "the brackets: `assert condition, text`.",
    ),
    "assert_caught": Mistake(
        "The error of an assert is caught",
        "The `try` stands around the `assert` too. If its `except` catches every error, a failed assert is never "
        "heard of.",
    ),
    "later_tokens_repeat_head_0": Mistake(
        "Right in the first token alone",
        "Head 0 and the first row of every head are right. The other rows of the later heads hold what head 0 has.",
    ),
    "second_number_added": Mistake(
        "Only the first number is turned",
        "The first number is turned as if it stood alone, and the second one grows with the position.",
    ),
    "no_position": Mistake(
        "No positions at all",
        "Nothing is turned: a score is the same at every distance.",
    ),
    "middle_heads_repeat": Mistake(
        "Wrong in a head between the first and the last",
        "The first head and the last are right; those between hold what the first has. Of two heads, the second does.",
    ),
    "middle_rows_repeat": Mistake(
        "Wrong in a row between the first and the last",
        "The first row and the last are right; those between hold the weights of the first. Of two rows, the second "
        "does.",
    ),
}
