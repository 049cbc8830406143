"""Draw the moving picture of the README: 배 beside three words, and where attention moves it.

python tools/front_picture.py        # writes notebooks/images/bae_moves.gif
"""

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from attention_lib import plots
from attention_lib.examples.three_meanings import N_MEANINGS, load_meanings

TARGET = Path(__file__).parents[1] / "notebooks" / "images" / "bae_moves.gif"
STEPS, STEP_MS, HOLD_MS = 12, 70, 2500
TITLE = "One word, three sentences: attention moves 배 to pear, belly or ship"
WORDS = load_meanings()
SENTENCES = [WORDS.sentences[name] for name in ("pear", "belly", "ship")]


def moves(share: float) -> dict[str, dict[str, tuple[NDArray[np.float64], NDArray[np.float64] | None]]]:
    """Where 배 and its neighbour stand, in each sentence, when 배 has gone this share of its way."""
    panels = {}
    for text in SENTENCES:
        tokens, trace = WORDS.tokens(text), WORDS.trace(text)
        word, cue = tokens.index(WORDS.word), len(tokens) - 1
        start = WORDS.meaning_of(text)[word]  # (3,)
        end = trace.output[word, :N_MEANINGS]  # (3,)
        neighbour = WORDS.meaning_of(text)[cue]  # (3,)
        panels[text] = {WORDS.word: (start, start + share * (end - start)), tokens[cue]: (neighbour, None)}
    return panels


def frame(share: float) -> Image.Image:
    """Draw one picture of the way."""
    picture = plots.moved_points(moves(share), WORDS.meanings, title=TITLE, reach=3.6)
    return Image.open(io.BytesIO(plots.png(picture))).convert("P", palette=Image.Palette.ADAPTIVE, colors=32)


def main() -> None:
    """Write the file."""
    shares = np.linspace(0, 1, STEPS + 1) ** 0.5  # fast first, then slower
    frames = [frame(float(share)) for share in shares]
    times = [HOLD_MS // 2, *[STEP_MS] * (STEPS - 1), HOLD_MS]
    frames[0].save(TARGET, save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=True)
    print(f"{TARGET.name}: {TARGET.stat().st_size / 1000:.0f} kB, {frames[0].size[0]} x {frames[0].size[1]}")


if __name__ == "__main__":
    main()
