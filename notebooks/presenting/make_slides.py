"""Export notebooks as still decks that open without a network.

`python notebooks/presenting/make_slides.py [--edition=ko] [01 ...]` writes one page of HTML for each
notebook into `slides/`, or into a folder of the edition there, with reveal.js beside it, which
comes from npm, once; nothing else does. Which cell goes on which page is said by the `slideshow`
metadata of the cells. Pictures stand without the code that draws them. Labs that need no
kernel are alive, in frames: their pages are written into its folder `labs`.
"""

import base64
import html
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import make_pages
import nbformat
from nbconvert import SlidesExporter
from present import find

import attention_lib
from attention_lib._words import _

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
OUT, NPM = ROOT / "slides", ROOT / "build" / "npm"
PACKAGES = {"reveal.js": "6.0.2"}
FILES = {  # in the deck's folder: in the package
    "reveal/reveal.js": "reveal.js/dist/reveal.js",
    "reveal/reveal.css": "reveal.js/dist/reveal.css",
    "reveal/notes.js": "reveal.js/dist/plugin/notes.js",
    "reveal/LICENSE": "reveal.js/LICENSE",
}
FONTS = [ROOT / "attention_lib" / "fonts" / name for name in ("AttentionHangul-Regular.ttf", "OFL.txt")]
NO_NPM = "The decks need reveal.js, which comes from npm: install Node.js, then try again."
NPM_WAITS = "npm has not brought reveal.js after {limit} seconds, so it was ended: is there a network?"
LIMIT = 600  # seconds
PREDICTION = re.compile(r"^predict\(", re.MULTILINE)
WAITS = re.compile(r"^reveal\(.*\)\n")  # of a cell whose result the notebook hides until it is answered
HIDDEN = ("skip", "notes")
FOLD = re.compile(r"<details><summary>(?![^<]*PyTorch)")
HEADING = re.compile(r"^#{1,3} (.+)$", re.MULTILINE)
LAB = re.compile(r'^(\w+)\((?:"(\w+)")?.*\)$')  # the last line of a cell that shows a lab, with its start
LAB_PAGES = {page.lab: name for name, page in make_pages.PAGES.items()}
LAB_FRAME = '<iframe class="lab" src="labs/{page}.html#{start}" title="{title}"></iframe>'


def fetch_packages():
    """Install reveal.js into the build folder, unless it is there; return where."""
    done = NPM / "installed"
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
    if not done.exists() or done.read_text() != " ".join(wanted):
        if shutil.which("npm") is None:
            raise SystemExit(NO_NPM)
        NPM.mkdir(parents=True, exist_ok=True)
        flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        command = [shutil.which("npm"), "install", *flags, "--prefix", str(NPM), *wanted]
        try:
            subprocess.run(command, check=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise SystemExit(NPM_WAITS.format(limit=LIMIT)) from None
        done.write_text(" ".join(wanted))
    return NPM / "node_modules"


def copy_files(out):
    """Put beside the decks what they load."""
    packages = fetch_packages()
    for name, source in FILES.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(packages / source, out / name)
    (out / "fonts").mkdir(exist_ok=True)
    for font in FONTS:
        shutil.copy(font, out / "fonts")
    shutil.copy(HERE / "deck.css", out)
    make_pages.write(out / "labs")


def png_size(data):
    """Width and height in pixels of a PNG in base64."""
    return struct.unpack(">II", base64.b64decode(data[:64])[16:24])


def choices_of(outputs):
    """The choices that a prediction prints under its first line; "" where a number is asked for."""
    texts = [output.get("data", {}).get("text/plain", "") for output in outputs]
    return "\n".join(line for text in texts for line in text.splitlines() if line.startswith("  ○ "))


def live(outputs, source):
    """The outputs with the lab alive in the place of its picture, where it needs no kernel."""
    shown = LAB.match(source.strip().splitlines()[-1])
    name = LAB_PAGES.get(shown[1]) if shown else None
    if name is None:
        return outputs
    told = {"page": name, "start": shown[2] or "", "title": html.escape(_(make_pages.TITLES[name]))}
    return [nbformat.v4.new_output("display_data", {"text/html": LAB_FRAME.format(**told)})]


def arrange(notebook):
    """Prepare cells for the deck: pictures without code, pages under the heading they belong to.

    The words folded under a picture go too: they are its alternative text. What a text folds away
    is open, since its question stands on a page before; code stays folded. Of a
    prediction whose question is shown, the choices are printed under it; the box and the
    buttons are the notebook's alone, and so is what hides a result. A lab that needs no kernel takes the place of its
    picture.
    """
    head, question_shown = None, False
    for cell in notebook.cells:
        headings = HEADING.findall(cell.source) if cell.cell_type == "markdown" else []
        if head and not (headings and cell.source.startswith("#")):
            cell.metadata.running_head = head
        head = headings[-1] if headings else head
        if cell.cell_type == "markdown":
            cell.source = FOLD.sub("<details open><summary>", cell.source)
        cell.metadata.setdefault("slideshow", {"slide_type": "skip"})
        if WAITS.match(cell.source):
            cell.source, cell.outputs = WAITS.sub("", cell.source), cell.outputs[1:]
        outputs = cell.get("outputs", [])
        if question_shown and PREDICTION.search(cell.source) and choices_of(outputs):
            cell.metadata.slideshow = {"slide_type": "-"}
            cell.metadata.transient = {"remove_source": True}
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=choices_of(outputs))]
        question_shown = cell.cell_type == "markdown" and cell.metadata.slideshow.get("slide_type") not in HIDDEN
        if any("image/png" in output.get("data", {}) for output in outputs):
            cell.metadata.transient = {"remove_source": True}
            outputs = [output for output in outputs if "text/html" not in output.get("data", {})]
            cell.outputs = live(outputs, cell.source)
    return notebook


def export(path, out):
    """Write the deck of one notebook; return its path."""
    exporter = SlidesExporter(
        template_file="deck.html.j2",
        extra_template_paths=[str(HERE)],
        filters={"png_size": png_size},
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    notebook = arrange(nbformat.read(path, as_version=4))
    title = HEADING.search(notebook.cells[0].source).group(1)
    deck = exporter.from_notebook_node(notebook, {"deck_title": title, "deck_language": _("en")})[0]
    target = out / f"{path.stem}.html"
    target.write_text(re.sub(r'(href="[\w./-]+)\.ipynb', r"\1.html", deck), "utf-8")
    return target


def main(given):
    edition = next((flag.removeprefix("--edition=") for flag in given if flag.startswith("--edition=")), "")
    attention_lib.language(edition or "en")
    out, names = OUT / edition, [name for name in given if not name.startswith("--")]
    out.mkdir(parents=True, exist_ok=True)
    copy_files(out)
    chosen = [Path(name) if name.endswith(".ipynb") else find(f"{edition}/{name}".lstrip("/")) for name in names]
    for path in chosen or sorted((ROOT / "notebooks" / edition).glob("[0-9]*.ipynb")):
        print(export(path, out).relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])
