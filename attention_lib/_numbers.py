"""How a number is written: the same in pictures, live views and labs, and on every processor."""

import math

GUARD = 6  # decimals beyond the visible ones that take part in rounding


def number_text(value: float, digits: int = 2) -> str:
    """Write a number rounded, with a true minus sign; −∞ for a forbidden pair.

    The last bits of a sum depend on the order in which a processor adds, so they must not decide a digit: 0.125 and a
    number 1e-16 away from it are written the same, also in a live view (`numberText` in live/js).

    Examples
    --------
    >>> number_text(-0.125), number_text(-0.001)
    ('−0.12', '0.00')
    """
    if value == -math.inf:
        return "−∞"
    text = f"{round(float(value), digits + GUARD):.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")
