"""What is said where right numbers stand in other places, of masks, and of shapes that do not fit."""

from .mistake import Mistake
from .said_of_sources import SOURCES

PLACES: dict[str, Mistake] = SOURCES | {
    # errors
    "product_error": Mistake(
        "A matrix product does not fit",
        "In A @ B the last axis of A meets the second last of B, and the two must be equally long.",
    ),
    "product_hint": Mistake(
        "A matrix product does not fit",
        "Write both shapes down: is a transpose missing, or are the two in the wrong order?",
    ),
    "product_shapes": Mistake(
        "A matrix product does not fit",
        "Here `{a}` is {had} and `{b}` is {other}: {last} meets {second}.",
    ),
    "product_transpose": Mistake(
        "A matrix product does not fit",
        "With the last two axes of `{b}` exchanged, the lengths meet.",
    ),
    "product_no_transpose": Mistake(
        "A matrix product does not fit",
        "No transpose of `{b}` mends that: which part of it, or of `{a}`, should meet here?",
    ),
    "product_lined_up": Mistake(
        "A matrix product does not fit",
        "`{a}` has as many columns as rows, where one column should be. A sum of each row without keepdims=True lies "
        "along the columns: (n, 1) beside (n,) becomes (n, n).",
    ),
    "index_error": Mistake(
        "A place that is not there",
        "Place {index} is asked for along axis {axis}, which has {size} places. Does this axis belong to what the "
        "index counts?",
    ),
    "reshape_error": Mistake(
        "A reshape that does not fit",
        "{size} numbers do not fill the shape ({shape}). Which of these sizes is another here? One of them may be -1: "
        "reshape then finds it.",
    ),
    # slices in other places
    "reversed": Mistake(
        "The order is reversed",
        "The numbers are right, and stand in the opposite order along axis {axes}.",
    ),
    "rolled": Mistake(
        "All has moved on",
        "The numbers are right, and have all moved on along axis {axis}, round the end to the beginning: here by {n}.",
    ),
    "rolled_twice": Mistake(
        "All has moved on",
        "The numbers are right, and have all moved on along two axes, round the end to the beginning.",
    ),
    "slices_twice": Mistake(
        "Some stand twice, others are missing",
        "Each of the {slices} is a right one, but not the one that belongs there: here they are those of the places "
        "{places}, where {needed} is asked for.",
    ),
    "slices_of_argument": Mistake(
        "Some stand twice, others are missing",
        "Counted in `{name}`, yours are the {slices} {found}; it needs {needed}.",
    ),
    "sums_right": Mistake(
        "Only the sum is right",
        "Added up along the first axis the answer is right. What each one has of it is not: did one get what belongs "
        "to others?",
    ),
    # masks
    "true_everywhere": Mistake(
        "Everything is allowed",
        "The mask is True in every place; here it must be False in {n} of {size}. Does the slice, or the condition, "
        "run along the axis of the keys?",
    ),
    "false_everywhere": Mistake(
        "Nothing is allowed",
        "The mask is False in every place. Was True ever written into it?",
    ),
    "window": Mistake(
        "Only the last keys are allowed",
        "Of the keys that a row may read, it allows the last {width} at most. All earlier ones belong to them too.",
    ),
    "columns_moved": Mistake(
        "The columns have moved",
        "The columns are right, and stand in other places: here the last {n} belong in front.",
    ),
    "other_counts": Mistake(
        "Another number of keys",
        "Each row allows its first keys and no others, as it must. But row by row it allows {found} keys, where "
        "{needed} are needed.",
    ),
    "rest_counted": Mistake(
        "What is left is counted",
        "Each row allows as many keys as it must forbid: {found}, where {needed} are needed.",
    ),
    "empty_where_full": Mistake(
        "Full rows come out empty",
        "Rows that must allow every key allow none: {found} keys, where {needed} are needed. A slice that begins at "
        "-n begins at the front where n is 0.",
    ),
    "shift_turned_round": Mistake(
        "Shifted the wrong way",
        "The diagonal has moved to the other side: row by row {found} keys are allowed, where {needed} are needed. The "
        "shift has the opposite sign.",
    ),
    "inf_times_zero": Mistake(
        "inf times 0",
        "exp of a forbidden score is inf here, and inf * 0 is nan. Put -inf in for the forbidden scores first, and "
        "take the largest and exp after that.",
    ),
    "alive_taken_for_dead": Mistake(
        "Rows taken for dead",
        "Every row with a forbidden key got weights 0. A row is dead only where it allows no key at all.",
    ),
    "pads_keep_share": Mistake(
        "Forbidden keys keep their share",
        "Where a key is forbidden, the weights of the others sum to less than 1, here {sum}. A zero in K or V changes "
        "what a key hands over, and not that it is weighed: its score must be -inf.",
    ),
}
