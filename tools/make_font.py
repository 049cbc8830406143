"""Make the Hangul fallback font from NanumGothic (OFL 1.1): `python tools/make_font.py NanumGothic.ttf`.

Needs fonttools. Keeps every modern syllable and the compatibility jamo, drops
hinting and layout tables, and renames the font, because "Nanum" is a reserved
font name.
"""

import pathlib
import sys

FILE = pathlib.Path(__file__).parents[1] / "attention_lib" / "fonts" / "AttentionHangul-Regular.ttf"
NAMES = {
    1: "Attention Hangul",
    2: "Regular",
    3: "Attention Hangul Regular",
    4: "Attention Hangul",
    6: "AttentionHangul-Regular",
}
KEPT_NAMES = (0, 5, 13, 14)  # copyright, version, licence and its address
SYLLABLES = range(0xAC00, 0xD7A4)
JAMO = range(0x3131, 0x318F)


def main(source: str) -> None:
    from fontTools import subset

    options = subset.Options(hinting=False, layout_features=[], name_IDs=["*"], notdef_outline=True)
    font = subset.load_font(source, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[*SYLLABLES, *JAMO])
    subsetter.subset(font)
    for record in list(font["name"].names):
        if record.nameID in NAMES:
            record.string = NAMES[record.nameID]
        elif record.nameID not in KEPT_NAMES:
            font["name"].removeNames(nameID=record.nameID)
    font.save(FILE)


if __name__ == "__main__":
    main(sys.argv[1])
