"""What the page itself says in a view: sent to it, with {braces} that it fills in."""

BROWSER_MESSAGES = {
    "lang": "en",
    "not_a_number": "“{text}” is not a number, so the cell keeps {value}.",
    "no_number": "Type a number; the cell keeps {value}.",
    "too_high": "{text} is above the highest value here; the cell is now {value}.",
    "too_low": "{text} is below the lowest value here; the cell is now {value}.",
    "stretch": "stretch colours",
    "fixed": "fixed colours",
    "stretch_title": "Let the colours span only the values shown (in the matrix: s)",
    "fixed_title": "Let the colours span the full, fixed range (in the matrix: s)",
    "stretched": "stretched",
    "allowed": "allowed",
    "forbidden": "forbidden",
    "edit_hint": "↑ ↓ change · ← → move · type a number · drag sideways",
    "toggle_hint": "click or Space switches a cell",
    "round": "At the edge, ← and → lead on to the next matrix.",
    "gone": "The kernel was stopped or restarted, so this picture no longer follows. "
    "To go on, run the cells from the top of the notebook down to this one.",
    "waiting": "Python has not answered for a while. If another cell is running, wait for it; "
    "if the kernel was stopped, run the cells from the top of the notebook down to this one.",
}
