"""What is said where a rule, and no known wrong form, shows what is wrong."""

from .mistake import Mistake
from .said_of_numbers import NUMBERS
from .said_of_steps import STEPS

OF_ANY: dict[str, Mistake] = {
    # the form
    "tuple_returned": Mistake(
        "More is returned than was asked for",
        "It returned {n} things. The one at position {i} is right: return that one alone.",
    ),
    "tuple_wrong": Mistake(
        "More is returned than was asked for",
        "It returned {n} things. Return what is asked for, and no more.",
    ),
    "axes_exchanged": Mistake(
        "The axes are in another order",
        "The numbers are right, but their axes are exchanged. A transpose or a swapaxes is missing, or one too many.",
    ),
    "axis_too_many": Mistake(
        "An axis too many",
        "The numbers are right, with an axis of length 1 that was not asked for. Take it out with [0] or reshape.",
    ),
    "axis_missing": Mistake(
        "An axis is missing",
        "The numbers are right, but an axis of length 1 is missing: `x[:, None]` or `keepdims=True` would keep it.",
    ),
    "only_one": Mistake(
        "Only a part of the answer",
        "It is one row, column or matrix of the right answer; all of them are asked for.",
    ),
    "reshaped": Mistake(
        "Another shape",
        "The numbers are right and in the right order, but the shape is not: something was flattened or reshaped.",
    ),
    "summed_away": Mistake(
        "An axis was summed away",
        "It is the right answer, summed or averaged over an axis. Leave out that last step.",
    ),
    "repeated": Mistake(
        "The answer is repeated",
        "It is the right answer several times, along an axis that was not asked for.",
    ),
    "has_more": Mistake(
        "More rows or columns than asked for",
        "The right answer is in it, with numbers beyond it.",
    ),
    "has_less": Mistake(
        "Rows or columns are missing",
        "What is there is right, but it ends too soon or starts too late.",
    ),
    "sizes_exchanged": Mistake(
        "The sizes are exchanged",
        "Each axis has the size of another one. Which of the two belongs in front?",
    ),
    "fewer_axes": Mistake(
        "Too few axes",
        "It has fewer axes than asked for. A sum or a mean without keepdims loses one, and so does an index, or a "
        "product with a vector.",
    ),
    "more_axes": Mistake(
        "Too many axes",
        "It has more axes than asked for. None in an index adds one, and so does a stack of results, or broadcasting.",
    ),
    "broadcast_error": Mistake(
        "Two shapes do not line up",
        "numpy lines up the axes from the right, and they must be equal or 1. A sum or a maximum over an axis needs "
        "keepdims=True to stay beside its row.",
    ),
    "float_for_a_size": Mistake(
        "A size must be a whole number",
        "`/` gives a float, also for 6 / 2. `//` gives a whole number, which can be a size or an index.",
    ),
    "array_has_no_append": Mistake(
        "An array has no append",
        "Lists grow by append. An array keeps its size: join two into a new one, with np.concatenate or np.vstack.",
    ),
    "other_arguments": Mistake(
        "The arguments do not fit",
        "A function was called with other arguments than its first line takes. Compare yours with that of the task.",
    ),
    "not_in_a_list": Mistake(
        "The arrays are not in a list",
        "np.concatenate, np.vstack and np.stack take one list of arrays: np.concatenate([a, b]).",
    ),
    "bool_of_an_array": Mistake(
        "An array is neither True nor False",
        "`if`, `and`, `or` and `not` ask for one truth value. For arrays there are np.where, &, | and ~, or any() and "
        "all().",
    ),
    "exp_too_large": Mistake(
        "exp of too large a number",
        "math.exp raises an error from 710 on, where np.exp gives inf. Subtract the largest number first: then no exp "
        "is above 1.",
    ),
    "softmax_given_nan": Mistake(
        "softmax is given nan or inf",
        "It takes finite numbers, and -inf for a key that is forbidden. 0 * inf, inf - inf and 0 / 0 are nan: look for "
        "the first line in which one of them stands.",
    ),
    "parts_in_another_order": Mistake(
        "The order is another",
        "All that is returned is right, but not in the order that was asked for.",
    ),
    # tests that a learner writes
    "accepts_everything": Mistake(
        "The test accepts everything",
        "Functions with a mistake pass it too. What holds for the right function and not for the wrong one?",
    ),
    "refuses_everything": Mistake(
        "The test refuses everything",
        "The right function fails it too. Does what it asks hold for every right function?",
    ),
    "refuses_right": Mistake(
        "The test refuses a right function",
        "It asks for more than must hold: a right function, written in another way, fails it.",
    ),
    "refuses_every_right": Mistake(
        "The test refuses every right function",
        "What it compares with is not what a right function returns, or the comparison is turned round. Put a function "
        "that you know to be right into it, and look at both sides.",
    ),
    "no_verdict": Mistake(
        "The test gives no verdict",
        "It returned None and holds no `assert`: this counts as letting through. Is a `return` missing, or "
        "does it print what it should return?",
    ),
    "lets_through": Mistake(
        "The test lets a mistake through",
        "A function with this mistake passes it: {title}. Let through in all: {n}.",
    ),
    # functions that a test must refuse
    "another_base": Mistake(
        "Another base than e",
        "The weights are 2 to the score, divided by their row's sum: positive shares, and not those of the softmax.",
    ),
    "scaled_again": Mistake(
        "The scaled scores are divided once more",
        "The scores come scaled. Divided again they give flatter weights, which sum to 1 as well.",
    ),
    "same_in_all_heads": Mistake(
        "Heads that repeat the first",
        "Each head has columns of its own; here later heads hold what head 0 has.",
    ),
    "same_for_all_tokens": Mistake(
        "Tokens that repeat the first",
        "Each token has a row of its own in every head; here all hold the first one's.",
    ),
    "tokens_reversed": Mistake(
        "The tokens stand backwards",
        "The columns go to the right heads, and the rows in them run from the last token to the first.",
    ),
    # the steps of attention
    "equal_scores": Mistake(
        "Two of the scores are equal",
        "Not all scores are equal, but two of them may be. Their difference is 0, and so is the logarithm of the "
        "ratio of their weights: 0 / 0 is nan. Choose two that differ in every row that is not all equal.",
    ),
    "one_step_more": Mistake(
        "A step more than was asked for",
        "It is the right answer, put through {step} as well. Stop one step earlier.",
    ),
    "winner_takes_all": Mistake(
        "The largest takes everything",
        "There is 1 at the largest of each row and 0 elsewhere. The softmax leaves every key a share.",
    ),
    "shares_do_not_sum": Mistake(
        "The numbers do not sum to 1",
        "Each is a share, so along their axis they must sum to 1. Here one such sum is {sum}. Divide by their own sum, "
        "along that axis and as the last step.",
    ),
    "nearly": Mistake(
        "Nearly right",
        "The largest error is {off} here. Was a small number added on the way, or is a step left out that changes "
        "little?",
    ),
    "rows_do_not_sum": Mistake(
        "The rows of weights do not sum to 1",
        "Here a row of the weights sums to {sum}. Each query shares out exactly one unit: divide by its row's sum.",
    ),
    "some_rows_do_not_sum": Mistake(
        "Some rows of weights do not sum to 1",
        "Each query shares out exactly one unit of attention: divide each row by its own sum.",
    ),
    "mask_leaks": Mistake(
        "A forbidden key is read",
        "A key that the mask forbids gets weight: here {weight}. Its masked score must be -inf before the softmax.",
    ),
    "causal_not_asked_for": Mistake(
        "A causal mask that was not asked for",
        "Keys behind the diagonal get weight 0 here, also those that every query may read.",
    ),
    "allowed_keys_unread": Mistake(
        "Allowed keys are not read",
        "Some keys that nothing forbids get weight 0 here. Does a mask, or a slice, leave them out?",
    ),
    "another_size_under_root": Mistake(
        "Another number under the root",
        "The root is of d_k, the width of a query. Another size stands there: how many queries or heads there are, "
        "say, or the width of the values.",
    ),
    "another_divisor": Mistake(
        "The scores are divided by another number",
        "The weights are those of scores divided by {divisor}, where {what} is {root}.",
    ),
    "divisor_negative": Mistake(
        "The scores have the opposite sign",
        "The key with the smallest score gets the largest weight. The weights are those of scores divided by "
        "{divisor}, where {what} is {root}.",
    ),
    "weights_flat": Mistake(
        "All weights are equal",
        "Every key gets the same weight, whatever its score. Do the scores reach the softmax?",
    ),
    "weights_same_for_all_queries": Mistake(
        "Every query gets the same weights",
        "The rows of weights are all alike. Each query has scores of its own.",
    ),
    # what any right attention keeps, asked of the answer by running it again
    "breaks_row_sums": Mistake(
        "Values of 1 do not give 1",
        "Values that are all 1 must give an output of 1, since each row of weights sums to 1. Here it is off by "
        "{moved}: either the weights sum to something else, or the values are changed before they are mixed.",
    ),
    "breaks_future": Mistake(
        "The future is read",
        "Another last key and value move earlier outputs, here by {moved}. Either the mask lets them be read, or a "
        "number of a later token enters a row besides its own score.",
    ),
    "breaks_key_order": Mistake(
        "The order of the keys matters",
        "The same keys in another order, each with its value and its mask column, give another output: it moves by "
        "{moved}. Which line uses where a key stands?",
    ),
    "breaks_one_query": Mistake(
        "The queries meddle with each other",
        "A query alone gets another output than among the others: it moves by {moved}. Each row has its own scores, "
        "its own largest and its own sum.",
    ),
    "breaks_shift": Mistake(
        "A shift of the scores changes the weights",
        "One number added to a whole row of scores must leave its weights alone. Here the output moves by {moved}: "
        "is it exp, divided by the sum of exp?",
    ),
    "breaks_values": Mistake(
        "The values have a say in the weights",
        "Twice the values must give twice the output. Here it is off by {moved}: V enters before the last product, or "
        "something is added after it.",
    ),
    # the numbers
    "all_zeros": Mistake(
        "All zeros",
        "Every number is 0. Was something cut to whole numbers, or is the result never written into what is returned?",
    ),
    "whole_part": Mistake(
        "What is behind the point is missing",
        "The numbers are cut or rounded to whole ones: by an array of int, which cannot hold anything else, by `//`, "
        "or by a rounding.",
    ),
    "rounded": Mistake(
        "The numbers are rounded",
        "Up to a few digits they are right. Leave out the rounding: later steps would carry the error on.",
    ),
    "inverted": Mistake(
        "True and False are exchanged",
        "Every place has the opposite of what it needs.",
    ),
    "transposed": Mistake(
        "Rows and columns are exchanged",
        "It is the right answer with its last two axes exchanged.",
    ),
    "argument_returned": Mistake(
        "An argument comes back as it was",
        "What is returned equals `{name}`. Was it divided by 1, or is a step missing?",
    ),
    "factor": Mistake(
        "Every number is off by one factor",
        "Every number is {factor} times what it needs to be.",
    ),
    "factor_of": Mistake(
        "Every number is off by one factor",
        "In every case the answer is `{label}` times what it needs to be, here {factor} times.",
    ),
    "factor_each": Mistake(
        "Every number is off by one factor",
        "In each case all numbers are off by one factor, here {factor}; it differs from case to case.",
    ),
    "difference": Mistake(
        "The same number is added everywhere",
        "Every number is off by {difference}.",
    ),
    "shuffled": Mistake(
        "The right numbers in the wrong places",
        "All numbers are there, but not where they belong.",
    ),
    "row_factor": Mistake(
        "Each row is off by a factor of its own",
        "Within a row everything is in proportion, and the factor differs from row to row.",
    ),
    "column_factor": Mistake(
        "Each column is off by a factor of its own",
        "Within a column everything is in proportion: a number that belongs to a row was used along the columns.",
    ),
    "nan_found": Mistake(
        "nan where a number is needed",
        "nan comes from 0 / 0, inf / inf, inf - inf or 0 * inf. Which step can meet one of these here?",
    ),
    "inf_found": Mistake(
        "inf where a number is needed",
        "inf comes from exp of a large number, or from a division by 0. Which step can meet one of these here?",
    ),
    "allows_too_much": Mistake(
        "It allows too much",
        "Everything that must be True is True, and so are places that must be False.",
    ),
    "allows_too_little": Mistake(
        "It allows too little",
        "Everything that must be False is False, and so are places that must be True.",
    ),
    "allows_too_much_there": Mistake(
        "It allows too much",
        "It is True {place}, where it must be False. All else is right.",
    ),
    "allows_too_little_there": Mistake(
        "It allows too little",
        "It is False {place}, where it must be True. All else is right.",
    ),
    "wrong_in_place": Mistake(
        "Right but for one place",
        "It is wrong only {place}.",
    ),
    "right_in_place": Mistake(
        "Right in one place alone",
        "It is right {place}, and wrong elsewhere.",
    ),
    "right_where": Mistake(
        "Right in some cases",
        "It is right where {where}, and wrong in every other case.",
    ),
}

BY_RULE: dict[str, Mistake] = OF_ANY | NUMBERS | STEPS
