"""What is said about the predictions of notebook 06."""

from ..predictions import Question

QUESTIONS = {
    "06.what_is_kept": Question(
        topic="why Q is not cached",
        choices={"K and V": "K and V", "Q, K and V": "Q, K and V", "K": "K alone"},
        right="Later tokens read the keys and values of earlier ones. A query is used once, by its own token.",
        wrong={
            "Q, K and V": (
                "Row i of the map needs query i and no other. Once its output is there, query i is never read again."
            ),
            "K": "The keys give the weights. What is then mixed are the values, so they must be kept too.",
        },
    ),
    "06.third_weight": Question(
        topic="article 003, third step",
        tolerance=0.02,
        digits=3,
        right=(
            "The scores are divided by the root of d_k = 2 first. The number "
            "printed in the article is near what comes out without it."
        ),
        wrong={
            "not_scaled": "That is the softmax of the scores before they are scaled.",
            "printed": (
                "That is the number printed in the article. Recomputed "
                "from its own Q and K, with the scale, it is {answer}."
            ),
            "other": "Three scores, divided by the root of 2, then softmax.",
        },
    ),
    "06.token_cost": Question(
        topic="cost of one cached token",
        choices={"same": "the same", "double": "about twice", "four": "about four times"},
        right=(
            "One query meets twice as many keys. Without a cache the whole "
            "map would be computed again: four times the scores."
        ),
        wrong={
            "same": "The projections of the new token cost the same, but its query meets every cached key.",
            "four": "That is the whole map, n by n. With a cache only one new row is computed.",
        },
    ),
    "06.deeper": Question(
        topic="deeper layers",
        choices={"valid": "still valid", "changed": "no longer valid"},
        right="Under a causal mask a token's output depends on itself and the past, and a new token changes neither.",
        wrong={
            "changed": (
                "That would be so without the causal mask: then every output would change "
                "with each new token. With it, the past does not see the new token."
            ),
        },
    ),
    "06.top_left": Question(
        topic="causal mask with a cache",
        tolerance=0.01,
        digits=0,
        right="Lined up at the top left, the only query counts as position 0 and sees key 0 alone.",
        wrong={
            "all": (
                "So it should be, and so it is when the last query lines up with "
                "the last key. Lined up at the top left it is position 0."
            ),
            "cached": (
                "Lined up at the top left, the query does not know that "
                "it is the newest token: it counts as position 0."
            ),
            "other": "Row 0 of a causal mask allows one key.",
        },
    ),
    "06.full": Question(
        topic="a full cache",
        choices={
            "error": "an error, and the cache stays as it was",
            "overwritten": "the oldest token is overwritten",
            "grows": "the cache grows",
        },
        right="Nothing is lost silently. Dropping the oldest is a decision, and an exercise below.",
        wrong={
            "overwritten": "That is a sliding window, which changes the result. This cache does not do it unasked.",
            "grows": "Its room is allocated once, so that appending copies nothing.",
        },
    ),
}
