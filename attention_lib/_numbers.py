"""How a number is written: alike in pictures, live views and labs, and on every processor."""

import math

GUARD = 6  # decimals beyond those shown, after which nothing decides a rounding


def number_text(value: float, digits: int = 2) -> str:
    """A cell's text: rounded, with a true minus sign; −∞ for a forbidden pair.

    The last bits of a sum hang on the order in which a processor adds. They decide no digit: 0.125 and what
    misses it by 1e-16 are one number here, also in a live view (attention_lib/view/js/page.js).
    """
    if value == -math.inf:
        return "−∞"
    rounded = f"{round(float(value), digits + GUARD):.{digits}f}"
    return (rounded[1:] if float(rounded) == 0 and rounded[0] == "-" else rounded).replace("-", "−")


def whole_text(value: float) -> str:
    """Write a whole number, with a true minus sign.

    Examples
    --------
    >>> whole_text(-3)
    '−3'
    """
    return f"{value:.0f}".replace("-", "−")
