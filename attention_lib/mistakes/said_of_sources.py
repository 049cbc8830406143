"""What is said of a line of the answer, and of a learner's own test, after running it again."""

from .mistake import Mistake

SOURCES: dict[str, Mistake] = {
    # one change of the source mends it, or does nothing
    "division_without_effect": Mistake(
        "A division without effect",
        "Line {line} divides by `{divisor}`, and without this division the answer is the same in every case: "
        "that number is 1, or what comes of it is not used, or a later step undoes it.",
    ),
    "cut_in_line": Mistake(
        "A number is cut or rounded",
        "Line {line}, `{piece}`: digits are lost here. Without that every case comes out right.",
    ),
    "piece_wrong": Mistake(
        "One piece is wrong",
        "Line {line}, `{piece}` in `{whole}`: with something else in this place, and all the rest as it stands, every "
        "case comes out right.",
    ),
    "piece_too_many": Mistake(
        "A piece too many",
        "Line {line}, `{piece}` in `{whole}`: without it, and with all the rest as it stands, every case comes out "
        "right.",
    ),
    "line_too_many": Mistake(
        "A line too many",
        "Line {line}: without it, and with all the rest as it stands, every case comes out right.",
    ),
    "lines_exchanged": Mistake(
        "Two lines in the wrong order",
        "Lines {line} and {other}: in the opposite order, and with all the rest as it stands, every case comes out "
        "right.",
    ),
    "return_in_the_loop": Mistake(
        "The loop ends too soon",
        "The `return` in line {line} stands inside the loop and ends it in the first round. Behind the loop it gives "
        "what is asked for.",
    ),
    # a learner's test: what it feeds
    "never_called": Mistake(
        "The function is never called",
        "The verdict is the same whatever function is given. Call it with numbers of your own, and look at what comes.",
    ),
    "fed_alike": Mistake(
        "Numbers that are all alike",
        "Each array that you feed holds one number all over. A function with this mistake then gives just what a right "
        "one gives: {title}. Let through in all: {n}. Feed numbers that differ.",
    ),
    "fed_one_row": Mistake(
        "One row alone",
        "All that you feed has one row. A function with this mistake then gives just what a right one gives: {title}. "
        "Let through in all: {n}. Feed several rows.",
    ),
    "fed_one_column": Mistake(
        "One column alone",
        "All that you feed has one column. A function with this mistake then gives just what a right one gives: "
        "{title}. Let through in all: {n}. Feed several columns.",
    ),
    "fed_same_rows": Mistake(
        "Rows that are all alike",
        "In all that you feed, every row is the same. A function with this mistake then gives just what a right one "
        "gives: {title}. Let through in all: {n}. Feed rows that differ.",
    ),
    "fed_symmetric": Mistake(
        "Rows and columns alike",
        "All that you feed is the same when rows and columns are exchanged. A function with this mistake then gives "
        "just what a right one gives: {title}. Let through in all: {n}. Feed a table that is not its own transpose.",
    ),
    "fed_one": Mistake(
        "A number that is always 1",
        "`{name}` is 1 in every call. A function with this mistake then gives just what a right one gives: {title}. "
        "Let through in all: {n}. Ask for more than 1.",
    ),
    "fed_hides": Mistake(
        "Numbers that hide a mistake",
        "On the numbers that you feed, a function with this mistake gives just what a right one gives: {title}. Let "
        "through in all: {n}. Other numbers, or more of them, would show it.",
    ),
    # what it compares
    "sees_too_little": Mistake(
        "The test looks at too little",
        "On your numbers a function with this mistake gives something else than a right one, and the test does not see "
        "it: {title}. Let through in all: {n}. Which numbers of the answer do you not look at?",
    ),
    "sees_a_property": Mistake(
        "The test looks at a property alone",
        "It looks at something that is made of the numbers, as their sum, their order or their ratio, and other "
        "numbers have that too. A function with this mistake passes it: {title}. Let through in all: {n}. Work out one "
        "answer by hand or in another way, and compare each number with it.",
    ),
    "promise_not_asked": Mistake(
        "Half of it is not asked for",
        "The test does not find out whether {promise}. A function with this mistake passes it: {title}. Let through in "
        "all: {n}.",
    ),
    "or_for_and": Mistake(
        "`or` where both are asked for",
        "`or` lets through whoever keeps one of the two. Both are asked for: `and`.",
    ),
    "any_for_all": Mistake(
        "`any` where all are asked for",
        "`any` is True as soon as one of them is. All are asked for: `all`.",
    ),
    "refused_here": Mistake(
        "The place",
        "What refuses them is line {line}: `{piece}` is {verdict} for each right function. Must it be otherwise?",
    ),
    "mended_here": Mistake(
        "The place",
        "It is line {line}, `{piece}`: with this place mended, your test tells all functions apart.",
    ),
    "tolerance_too_wide": Mistake(
        "The tolerance is too wide",
        "{tolerance} is as large as what mistakes change here, and with a smaller one fewer get through. A function "
        "with this mistake passes: {title}. Let through in all: {n}.",
    ),
    "verdict_turned_round": Mistake(
        "The verdict is turned round",
        "Every right function is refused, and every wrong one is let through. True is for a function that is right.",
    ),
    "asks_for_a_mistake": Mistake(
        "The test asks for a mistake",
        "It refuses every right function, and the only ones that pass have this mistake: {title}. Work out by hand "
        "what a right function must give, and compare with that.",
    ),
    "nan_in_the_test": Mistake(
        "nan in the test itself",
        "A step of the test gives nan, as inf / inf does, and nan is equal to nothing: line {line}, {code}. Numbers of "
        "ordinary size give none.",
    ),
    "compared_exactly": Mistake(
        "Compared to the last digit",
        "It refuses a right function whose numbers differ in a late digit, by rounding alone or by the small step of a "
        "measurement. np.allclose compares within rounding; == and np.array_equal do not.",
    ),
    "compares_nothing": Mistake(
        "Nothing is compared",
        "It refuses every right function, and no two things are compared in it. bool(), .all() and .any() only ask "
        "whether numbers are 0.",
    ),
}
