"""What is said about mistakes in a model that goes on with what it has seen."""

from .mistake import Mistake

COPYING: dict[str, Mistake] = {
    "key_0_wraps_round": Mistake(
        "The first key is given the last word",
        "Nothing stands before key 0. Shifting with `np.roll`, or with index -1, puts the last word of the text there.",
    ),
    "previous_token_measured": Mistake(
        "The key one back",
        "This is the weight on the key right before the query. Asked is the weight on keys that stand behind an "
        "earlier copy of the query's word.",
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
    "temperature_too_late": Mistake(
        "The temperature comes after the softmax",
        "A share to the power 1 / temperature is right as long as no share has become 0. A share of 0 stays 0 at any "
        "temperature: divide the logits.",
    ),
    "temperature_at_least_1": Mistake(
        "Temperatures below 1 count as 1",
        "Above 1 it is right. Below 1 the shares are those at temperature 1.",
    ),
    "temperature_at_most_1": Mistake(
        "Temperatures above 1 count as 1",
        "Below 1 it is right. Above 1 the shares are those at temperature 1.",
    ),
    "temperature_whole": Mistake(
        "The divided logits are cut to whole numbers",
        "`//` and rounding lose what is behind the point, and the softmax sees it. Divide with `/`.",
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
