"""Write the labs that one live view makes as plain HTML files, which need no kernel, no server and no network.

`python notebooks/presenting/make_pages.py [folder] [--edition=ko]` writes one page for each lab and an index. A page
holds the scripts and style sheets of the live views, the starts of its lab as Python calculates
them, and the letters of Hangul it needs; an edit is calculated by the view's own chain, in the page.
"""

import base64
import io
import json
import re
import string
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import attention_lib
from attention_lib import lessons
from attention_lib._words import _
from attention_lib.examples.made_up_words import masking_sentence
from attention_lib.examples.sentence_pairs import load_pairs
from attention_lib.examples.three_meanings import load_meanings
from attention_lib.examples.worked import example_names, load_example
from attention_lib.live.assets import font, script, style_sheet
from attention_lib.live.lab import Lab

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
OUT = ROOT / "pages"
TEMPLATE = string.Template((HERE / "page.html").read_text("utf-8"))
SHARED = ("_words", "_palettes")
STATE = ("_spec", "_arrangement", "_captions", "_highlight", "_chain", "_given")
HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
KOREAN = re.compile("[가-힣]+")

TITLES = {
    "explorer": "Explorer: how a word gets its weights",
    "mask_workbench": "Mask workbench: who may look at whom",
    "alignment": "Alignment lab: an English sentence reads a Korean one",
    "head_surgery": "Head surgery: what each head adds",
}
SHOWS = {
    "explorer": "This page follows one word of a sentence from its embedding to the weights that it gives to all "
    "words. You change the matrices that make the queries and the keys.",
    "mask_workbench": "A mask keeps a word from reading certain other words. You change the mask, and the page shows "
    "what that does to the weights.",
    "alignment": "In cross-attention, the words of an English sentence read those of its Korean original. You choose a "
    "goal, and change numbers until it is reached.",
    "head_surgery": "This page shows four attention heads side by side. You switch heads off, and the page shows what "
    "a word no longer receives.",
}
DO = {
    "explorer": "In W_K, drag the number in row body and column body to the right. Can you bring a bar past its red "
    "line, which marks one half?",
    "mask_workbench": "Click a cell of the mask, or press Space on it, to allow or forbid a pair. Which rows of the "
    "weights change?",
    "alignment": "Change a number beside or below the map: drag it sideways, type, or use the arrow keys. Can you make "
    "the dashed cells of the map the darkest of their rows?",
    "head_surgery": "Switch a head off with a click on its switch. What does the word still receive?",
}
TOUCH = {  # the same for fingers, where it is not the same
    "mask_workbench": "Tap a cell of the mask to allow or forbid a pair. Which rows of the weights change?",
    "alignment": "Put a finger on a number below the map and drag it sideways. Can you make the dashed cells of the "
    "map the darkest of their rows?",
    "head_surgery": "Tap a switch to switch its head off. What does the word still receive?",
}
HOW = {  # to read what is seen
    "explorer": "Each row of X is a word: how much it has to do with food, the body and the sea, and whether its "
    "meaning is still <i>open</i>. The page follows one word. Its row times W_Q is its <b>query</b>, which says what "
    "it looks for. The row of each word times W_K is the <b>key</b> by which that word can be found. Multiply the "
    "query by a key, number by number, and add the products up: that is the <b>score</b> of the key’s word. The scores "
    "are divided by the square root of the number of columns, and softmax makes <b>weights</b> of them: shares that "
    "sum to 1. A weight says how much the word that is followed takes from that word. You can also type a number, or "
    "use the arrow keys. Notebook 01 explains each step, and its lab has goals, values and your own sentence.",
    "mask_workbench": "A row belongs to the word that reads, a column to the word that is read. Where the mask forbids "
    "a pair, the score becomes −∞, so the weight becomes 0, and the row shares its weight among the words that are "
    "left. Notebook 03 explains why, and has tasks one after the other.",
    "alignment": "A row belongs to an English word, which reads, and a column to a Korean word, which is read. Each "
    "row is a query that is compared with the keys of all columns, and its weights sum to 1. Notebook 04 explains each "
    "step, and has more goals and more matrices.",
    "head_surgery": "Each head has its own query, key and value matrices, and so its own map. What the heads find is "
    "added up. Notebook 05 explains how, and its lab shows what each head adds.",
}
MESSAGES = {
    "index": "Attention, calculated in your browser",
    "index what": "Attention is the step in which a language model lets each word take in the words around it. Each "
    "word is compared with every word that it may read, softmax turns the results into weights that sum to 1, and the "
    "word takes the weighted mean of what those words offer. On each page below you can change the numbers, and the "
    "page recalculates everything that follows from them, without Python, a server or a network.",
    "index notebooks": "The explanations, the exercises, the predictions and the other labs are in notebooks, which "
    "need Python. They are in the folder <code>notebooks</code> of the project that these pages come from, and "
    "<code>make lab</code> opens the first one there.",
    "all": "All labs",
    "between": " · ",
    "glosses": "Korean words: {glosses}",
    "gloss": "{word} = {gloss}",
    "no script": "This page calculates with JavaScript, which is switched off here.",
}
LABELS = {"preset": "start from", "changed": "changed by you", "undo": "Undo", "reset": "Start again"}
SAID = {
    "loaded": "This is a new start.",
    "reset": "You are back where you started.",
    "passed": "Bars past their red line: {n} of {all}.",
}
TABLES = (TITLES, SHOWS, DO, TOUCH, HOW, MESSAGES, LABELS, SAID)  # what a reader sees, each marked where it is said


class Page(NamedTuple):
    """A lab that is one live view: its class, and how it is made."""

    lab: str
    make: Callable[[], Lab]
    captions: bool = True  # False where they follow from every number, which takes Python


def workbench() -> Lab:
    """Return the mask workbench on the sentence of notebook 03."""
    sentence = masking_sentence()
    lab: Lab = lessons.MaskWorkbench(sentence.tokens, *sentence.arrays().values())
    return lab


PAGES = {
    "explorer": Page("Explorer", lambda: lessons.Explorer("plain")),
    "mask_workbench": Page("MaskWorkbench", workbench),
    "alignment": Page("AlignmentLab", lessons.AlignmentLab, captions=False),
    "head_surgery": Page("HeadSurgeryLab", lessons.HeadSurgeryLab),
}


# -- what Korean words mean -----------------------------------------------------------------------------


@cache
def glosses() -> Mapping[str, str]:
    """Return what the Korean words of all examples mean."""
    pairs = [pair.glosses for pair in load_pairs().values()]
    articles = [load_example(name).glosses for name in example_names()]
    return {word: gloss for known in (*pairs, *articles, load_meanings().glosses) for word, gloss in known.items()}


def gloss_line(state: Mapping[str, Any]) -> str:
    """Return a line that explains every Korean word of a start, in the order of its sentence; "" if there is none.

    A reader of the Korean edition needs no such line.
    """
    if _("en") == "ko":
        return ""
    words = dict.fromkeys(KOREAN.findall(json.dumps([state["_spec"], state], ensure_ascii=False)))
    if unknown := sorted(words.keys() - glosses().keys()):
        raise ValueError(f"the page would show Korean words that no example explains: {', '.join(unknown)}")
    lines = (MESSAGES["gloss"].format(word=word, gloss=glosses()[word]) for word in words)
    return MESSAGES["glosses"].format(glosses=MESSAGES["between"].join(lines)) if words else ""


# -- what a page holds ---------------------------------------------------------------------------------


def start(name: str, label: str, lab: Any) -> dict[str, Any]:
    """Return one start of a lab, as its page reads it."""
    view = lab.view
    whole = {name: getattr(view, name) for name in STATE} | {
        "_values": base64.b64encode(view._values).decode(),
        "_moves": False,
        "_ack": [],
        "_selected": [],
        "preset": name,
        "label": label,
        "classes": [name for name in lab._dom_classes if name != "lab-moves"],
        "said": "",
    }
    return whole | {"gloss": gloss_line(whole)}


def data_of(page: Page) -> dict[str, Any]:
    """Return all starts of a lab, in the order of its menu, and the words around its view."""
    lab: Any = page.make()
    named = lab.presets or {"start": ("", lab.state)}
    starts = []
    for name, (label, state) in named.items():
        lab.change(state, start=state)
        starts.append(start(name, label, lab))
        if not page.captions:
            starts[-1]["_captions"] = dict.fromkeys(lab.view.panels, "")
    shared = {name: getattr(lab.view, name) for name in SHARED}
    return {"shared": shared, "starts": starts, "labels": said(LABELS), "messages": said(SAID)}


def said(table: Mapping[str, str]) -> dict[str, str]:
    """Return a table of sentences in the language of the edition."""
    return {key: _(sentence) for key, sentence in table.items()}


def font_face(text: str) -> str:
    """Return a style sheet with the Hangul letters of a text; "" where there are none."""
    letters = sorted(map(ord, set(HANGUL.findall(text))))
    if not letters:
        return ""
    from fontTools import subset  # comes with matplotlib

    options = subset.Options(hinting=False, layout_features=[], name_IDs=["*"], flavor="woff")
    loaded = subset.load_font(io.BytesIO(font()), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(loaded)
    kept = io.BytesIO()
    subset.save_font(loaded, kept, options)
    address = f"data:font/woff;base64,{base64.b64encode(kept.getvalue()).decode()}"
    face = f'font-family: "Attention Hangul"; src: url({address}) format("woff")'
    return f"@font-face {{ {face}; unicode-range: U+1100-11FF, U+3130-318F, U+AC00-D7A3; }}\n"


def lab_page(name: str, way: str = '<p class="lone-way"><a href="index.html">{all}</a></p>') -> str:
    """Return the page of a lab, under the way to the other pages; "" where it is the only one."""
    data = json.dumps(data_of(PAGES[name]), ensure_ascii=False).replace("<", "\\u003c")
    title, how, do = _(TITLES[name]), _(HOW[name]), DO[name]
    touch = TOUCH.get(name, do)
    messages = said(MESSAGES)
    body = f"""\
{way.format(**messages)}
<h1>{title}</h1>
<p class="lone-do lone-mouse">{_(do)}</p>
<p class="lone-do lone-touch">{_(touch)}</p>
<main id="lone-lab"></main>
<noscript><p>{messages["no script"]}</p></noscript>
<p class="lone-how">{how}</p>
<script type="application/json" id="lone-data">{data}</script>
<script type="module">
{script("lone")}</script>"""
    lab = getattr(lessons, PAGES[name].lab)
    style = font_face(data + body) + style_sheet("theme", "matrix_view") + lab.style() + style_sheet("lone")
    return TEMPLATE.substitute(lang=_("en"), title=title, style=style, body=body)


def index_page() -> str:
    """Return the page that lists the labs."""
    messages = said(MESSAGES)
    rows = (f'<li><a href="{name}.html">{_(TITLES[name])}</a><br>{_(SHOWS[name])}</li>' for name in PAGES)
    body = f"""\
<h1>{messages["index"]}</h1>
<p>{messages["index what"]}</p>
<ul>
{chr(10).join(rows)}
</ul>
<p>{messages["index notebooks"]}</p>"""
    style = font_face(body) + style_sheet("theme", "lone")
    return TEMPLATE.substitute(lang=_("en"), title=messages["index"], style=style, body=body)


def write(out: Path) -> list[Path]:
    """Write all pages into a folder; return their paths."""
    out.mkdir(parents=True, exist_ok=True)
    texts = {"index": index_page(), **{name: lab_page(name) for name in PAGES}}
    for name, text in texts.items():
        (out / f"{name}.html").write_text(text, "utf-8")
    return [out / f"{name}.html" for name in texts]


def main(*given: str) -> None:
    """Write the pages, in the language of an edition if one is named."""
    edition = next((flag.removeprefix("--edition=") for flag in given if flag.startswith("--edition=")), "")
    folders = [Path(name) for name in given if not name.startswith("--")]
    attention_lib.language(edition or "en")
    for path in write(folders[0] if folders else OUT / edition):
        print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
