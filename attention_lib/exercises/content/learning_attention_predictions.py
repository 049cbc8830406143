"""What is said about the predictions of notebook 08."""

from ..predictions import Question

QUESTIONS = {
    "08.score_sum": Question(
        topic="the gradient at the scores",
        choices={"zero": "0", "one": "1", "loss": "as much as the loss"},
        right="Adding one number to all scores of a row changes no weight, so the loss cannot feel it.",
        wrong={
            "one": "The weights sum to 1. This is a gradient: what one key wins, the others lose.",
            "loss": "The loss is a height; this is a slope. Raise all scores of a row alike and nothing happens.",
        },
    ),
    "08.first_loss": Question(
        topic="the loss of a random layer",
        tolerance=0.1,
        digits=2,
        right="It knows nothing, so each of three meanings gets about 1/3, and -log(1/3) = 1.10.",
        wrong={
            "zero": "0 is the loss of a layer that is always right and sure. This one is random.",
            "third": "1/3 is about the probability of the right meaning. The loss is minus its logarithm.",
            "other": "Three meanings, no knowledge: each gets about 1/3. Take minus the natural logarithm of that.",
        },
    ),
    "08.rows_moved": Question(
        topic="which queries learn",
        tolerance=0.01,
        digits=0,
        right="Only 배 asks, and one-hot 배 reads one row of W_Q. The other rows never touch the loss.",
        wrong={
            "all": "A row of W_Q makes the query of one word. Only the query of 배 goes into the loss.",
            "cues": "The cues are found by their keys, rows of W_K. Who asks here is 배 alone.",
            "other": "Count the words whose query goes into the loss.",
        },
    ),
    "08.frozen": Question(
        topic="accuracy is not attention",
        choices={"third": "about 1/3: it guesses", "half": "about 2/3", "all": "nearly all"},
        right=(
            "An even mean of eight values still holds an eighth of the cue's, and W_V and W_C learn to make the "
            "fillers' values harmless. The map was not needed for this."
        ),
        wrong={
            "third": "The cue's value is in the mean, with about 1/8. Values can be learned so that this is enough.",
            "half": "W_V and W_C go on learning, and they have all they need: the cue is in every mean.",
        },
    ),
    "08.unseen": Question(
        topic="a cue never seen",
        choices={"large": "about as large as before", "small": "much smaller", "zero": "exactly 0"},
        right="Its row of W_K stayed random, so it is found about as little, or as much, as chance has it.",
        wrong={
            "large": "With one-hot words 고파서 learns nothing from 아프다: each has its own row of W_K.",
            "zero": "Softmax gives no key exactly 0. Its key is still the random one of step 0.",
        },
    ),
    "08.unscaled": Question(
        topic="scaling left out",
        choices={
            "fails": "it does not learn the meanings",
            "spread": "it learns them, and the maps differ more from seed to seed",
            "same": "nothing changes",
        },
        right="With d_k = 4 the scores only double, and the maps start nearly flat. What grows is the part of chance.",
        wrong={
            "fails": "With d_k = 4 the scores are only twice as large. The softmax does not saturate at once.",
            "same": "Every score counts double, in the maps and in the gradients. Compare the seeds.",
        },
    ),
    "08.translation_frozen": Question(
        topic="a task that needs the map",
        choices={"nearly all": "nearly all", "under two thirds": "less than 2/3"},
        right="All three places then read nearly the same mean, and that cannot tell which word goes where.",
        wrong={
            "nearly all": "In the 배 task one answer was asked. Here three places need three different words.",
        },
    ),
}
