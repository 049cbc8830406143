"""What is said about the predictions of notebook 07."""

from ..predictions import Question

QUESTIONS = {
    "07.mean_pair": Question(
        topic="a pair in all heads",
        tolerance=0.03,
        right="On average over the heads the pair is nothing special. A few heads carry it, and most look elsewhere.",
        wrong={
            "best": "That is the head shown above, the best of 72. Most heads put next to nothing on this pair.",
            "other": "It is close to the share that 11 tokens get when all are read alike.",
        },
    ),
    "07.random": Question(
        topic="the best of many heads",
        tolerance=0.12,
        right="The largest of 72 numbers is large even when nothing was learned.",
        wrong={
            "even": "That is the mean over the heads. The question was for the largest of 72, chosen after looking.",
            "other": "Some of 72 random rows happen to lean on this key; the question was for the one that leans most.",
        },
    ),
    "07.position": Question(
        topic="heads of position",
        choices={"keys": "keys", "cabinet": "cabinet", "table": "table"},
        right="It is the word just before. This head counts places and does not read meaning.",
        wrong={
            "keys": "The keys are what is on the table, but this head does not ask for that. It takes the word before.",
            "table": "The head looks one token back, never ahead.",
        },
    ),
    "07.wide": Question(
        topic="one changed word",
        choices={"animal": "animal", "street": "street"},
        right="Its lead shrinks from 0.59 to 0.14, in the right direction, and stays a lead.",
        wrong={
            "street": "So a reader would say. The weight does move that way, and it does not get there.",
        },
    ),
    "07.sink": Question(
        topic="what a weight carries",
        tolerance=0.06,
        right="A weight says how much of a value is taken, and the value of [CLS] is short.",
        wrong={
            "by_weight": "So it would be if all values were equally long. The value of [CLS] is much shorter.",
            "other": "Weight times the length of the value counts, and the value of [CLS] is short.",
        },
    ),
    "07.switch_off": Question(
        topic="weight and effect",
        tolerance=5,
        digits=0,
        right="A large weight on the noun does not make a head the one that matters for the result.",
        wrong={
            "none": "That is what the map suggests. Measured, the head of largest weight moves the vector little.",
            "other": "Heads of the last layers act on the result directly, and this one is in layer 3.",
        },
    ),
}
