"""What is said about mistakes in a model that goes on with what it has seen."""

from .mistake import Mistake

COPYING: dict[str, Mistake] = {
    "key_0_wraps_round": Mistake(
        "The first key is given the last word",
        "Nothing stands before key 0. Shifting with `np.roll`, or with index -1, puts the last word of the text there.",
    ),
    "new_words_counted": Mistake(
        "Words that are new count too",
        "A word that stands there for the first time has nothing to copy. Its row is 0 by necessity: leave it out.",
    ),
    "latest_copy_only": Mistake(
        "Only the latest copy",
        "A word can have stood there more than once before. The weights on all the words that followed add up.",
    ),
    "word_before_the_copy": Mistake(
        "The word before the copy",
        "That is the word to the left of the earlier copy. What comes next stands to its right.",
    ),
    "copy_itself": Mistake(
        "The copy itself",
        "That is the earlier copy, and so the last word again. Asked is the word after it.",
    ),
    "earliest_copy": Mistake(
        "The earliest copy",
        "Where the last word stood before more than once, the latest of these counts.",
    ),
    "position_returned": Mistake(
        "Where, and not which",
        "That is the position in the text. Asked is the word that stands there.",
    ),
    "new_word_guessed": Mistake(
        "A guess where nothing can be known",
        "Where the last word is new, the answer is -1.",
    ),
    "first_text_only": Mistake(
        "The first text for all",
        "Each text has its own last word, and its own place to look: one answer for each row of the batch.",
    ),
    "finds_the_copy": Mistake(
        "It finds the word, not what followed",
        "Your keys are the words themselves, so a word finds its own copies. What layer 0 wrote stands in `before`.",
    ),
    "asks_with_before": Mistake(
        "The query asks with the word before",
        "A row looks for its own word: the query comes from `words`. What it compares that with is `before`.",
    ),
    "carries_before": Mistake(
        "The value is the word before",
        "What is carried over is the word of the row that was found, from `words`.",
    ),
    "temperature_multiplied": Mistake(
        "Multiplied by the temperature",
        "Then a high temperature makes the likeliest word likelier. Divide the logits by it.",
    ),
    "temperature_ignored": Mistake(
        "The temperature is not used",
        "These are the shares at temperature 1, whatever is asked for.",
    ),
    "temperature_root": Mistake(
        "The root of the temperature",
        "The root belongs to d_k. The logits are divided by the temperature itself.",
    ),
}
