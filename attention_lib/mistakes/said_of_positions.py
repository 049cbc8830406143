"""What is said about mistakes with positions."""

from .mistake import Mistake

POSITIONS: dict[str, Mistake] = {
    "pairs_in_halves": Mistake(
        "Other columns are paired",
        (
            "Here a pair is two neighbouring columns, 2i and 2i + 1. This pairs column i with column i + d/2, "
            "as Llama does on Hugging Face: as good, but weights made for one do not fit the other."
        ),
    ),
    "turned_back": Mistake(
        "Turned the other way round",
        "The pair (x, y) becomes (x cos − y sin, x sin + y cos). Here both signs of the sine are the other way round.",
    ),
    "start_ignored": Mistake(
        "The first row counts as position 0",
        "The first row stands at position `start`: with a cache, so many tokens came before.",
    ),
    "one_position_ahead": Mistake(
        "Every row stands one position too far",
        "Row r stands at position start + r. Scores would not show it, since both sides are off alike.",
    ),
    "counted_down": Mistake(
        "The positions go down",
        "Row r stands at position start + r: each row one further than the row above it.",
    ),
    "one_position_for_all": Mistake(
        "All rows are turned alike",
        "Row r stands at position start + r. Turned alike, no score of two rows would change.",
    ),
    "one_speed": Mistake(
        "All pairs turn at one speed",
        "Only pair 0 turns by 1 radian a position. Each later pair is slower, or distances 0 and 44 look alike.",
    ),
    "speed_of_columns": Mistake(
        "The exponent is half of what it should be",
        "Pair i turns by 10000^(−2i/d): the exponent runs to 1 over the d columns, and there are d/2 pairs.",
    ),
    "pairs_not_put_back": Mistake(
        "The pairs are not side by side again",
        "The numbers are right, but all x stand before all y. Put x and y of each pair into columns 2i and 2i + 1.",
    ),
    "added_not_turned": Mistake(
        "Positions added in place of turned",
        "Sines and cosines are added to the rows. Rotary positions turn each pair; no row changes its length.",
    ),
    "x_overwritten": Mistake(
        "The new x is used for y",
        "y needs x as it was before the turn. Work both out from the old numbers, then write them.",
    ),
    "rows_of_another_axis": Mistake(
        "The heads are counted as positions",
        "The tokens are the last axis but one, (…, n, d). Every head has the same positions.",
    ),
    "keys_turned_twice": Mistake(
        "The keys of the cache are turned again",
        "They were turned when they were new, and carry their positions already. Turn what is new alone.",
    ),
    "query_one_ahead": Mistake(
        "The new token is counted one too far",
        "Positions begin at 0: after n tokens in the cache, the new one is at position n.",
    ),
    "positions_squared": Mistake(
        "Turned by the square of the position",
        "Then the difference of two angles hangs on where they are, not only on how far apart.",
    ),
    "position_times_row": Mistake(
        "The row made longer in place of turned",
        "A row that grows with its position makes every score grow with it, whatever the distance.",
    ),
}
