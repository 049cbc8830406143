"""Draw what a visitor sees first: the moving point of notebook 00, and the explorer, in a light and in a dark page.

python tools/front_picture.py        # writes notebooks/images, and the explorer as a page that README offers
"""

import html
import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "browser"), str(ROOT / "notebooks" / "presenting")]

import make_pages  # noqa: E402
from harness import CHROMIUM_FLAGS, chromium_path  # noqa: E402

from attention_lib.lessons.self_attention.moving_point import MovingPoint, explained  # noqa: E402
from attention_lib.live.assets import font, style_sheet  # noqa: E402

FOLDER = ROOT / "notebooks" / "images"
EXPLORER = ROOT / "notebooks" / "explorer.html"
SENTENCES = {
    "어제 배 가 고파서": "because I was hungry yesterday",
    "배 를 깎아서 먹었다": "I peeled a pear and ate it",
    "배 를 타고": "riding a ship",
}
SIZE = {"width": 800, "height": 460}
MOVES, STAYS = 60, 2600  # milliseconds: of a picture in the motion, and of the last one
TIMES = [*range(0, 660, MOVES), 2000]  # of the motion, in milliseconds
STYLE = """
@font-face { font-family: Hangul; src: url(hangul.woff2); unicode-range: U+1100-11FF, U+AC00-D7A3; }
body { margin: 0; background: Canvas; color: CanvasText; font: 15px Hangul, "DejaVu Sans", sans-serif; }
.front { padding: 12px 20px; }
.words span { display: inline-block; text-align: center; margin-right: 22px; vertical-align: top; font-size: 28px; }
.words small { display: block; font-size: 17px; opacity: 0.8; }
.front > p { margin: 4px 0 0; font-size: 20px; font-style: italic; }
.beside { display: flex; align-items: center; gap: 20px; }
.beside > :last-child { flex: 1; }
.beside .attention-bars { grid-template-columns: 14.5em 1fr !important; }
"""
SHOW = """([markup, time]) => {
    if (markup) document.querySelector('.front').innerHTML = markup;
    for (const each of document.getAnimations()) { each.pause(); each.currentTime = time; }
}"""


def markup_of(sentence: str, meaning: str) -> str:
    """Write a sentence with its meanings, where the word goes in it, and what it takes from each word."""
    lab = MovingPoint(sentence)
    words = []
    for word in lab.state.tokens:
        gloss = explained(word, "\n").partition("\n")[2]
        words.append(f"<span>{html.escape(word)}<small>{html.escape(gloss)}</small></span>")
    beside = f"<div>{lab.plane.value}</div><div>{lab.bars._markup}</div>"
    return f"<div class='words'>{''.join(words)}</div><p>{html.escape(meaning)}</p><div class='beside'>{beside}</div>"


def frames_of(page: Page) -> tuple[list[Image.Image], list[int]]:
    """Return the pictures of all sentences, and how long each stays."""
    pictures, stays = [], []
    for sentence, meaning in SENTENCES.items():
        for time in TIMES:
            page.evaluate(SHOW, [markup_of(sentence, meaning) if time == 0 else "", time])
            pictures.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
            stays.append(STAYS if time == TIMES[-1] else MOVES)
    k = len(TIMES) - 1  # where nothing moves, the first picture is seen: one in which the word has moved
    return [*pictures[k:], *pictures[:k]], [*stays[k:], *stays[:k]]


def explorer(page: Page) -> tuple[list[Image.Image], list[int]]:
    """Return pictures of the explorer in which one number rises to 3, and how long each stays."""
    page.set_viewport_size({"width": 920, "height": 560})
    pictures = []
    page.goto(EXPLORER.as_uri())
    page.evaluate("document.fonts.ready")
    page.locator("[data-panel='W_K'] .av-value").nth(5).focus()
    for _ in range(9):  # from 1 to 3, by five steps of 0.05
        shot = page.screenshot(clip={"x": 0, "y": 0, "width": 920, "height": 490})
        pictures.append(Image.open(io.BytesIO(shot)).convert("RGB"))
        page.keyboard.press("Shift+ArrowUp")
        page.evaluate("new Promise(requestAnimationFrame)")
    return pictures, [STAYS // 2, *[2 * MOVES] * (len(pictures) - 2), STAYS]


def save(path: Path, pictures: list[Image.Image], stays: list[int]) -> None:
    colours = pictures[-1].quantize(64)
    images = [picture.quantize(palette=colours, dither=Image.Dither.NONE) for picture in pictures]
    images[0].save(path, save_all=True, append_images=images[1:], duration=stays, loop=0, optimize=True)


def main() -> None:
    """Store what a visitor sees, in each scheme."""
    FOLDER.mkdir(exist_ok=True)
    EXPLORER.write_text(make_pages.lab_page("explorer", way=""), "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme, device_scale_factor=1.5)
            page.route("**/hangul.woff2", lambda route: route.fulfill(body=font()))
            page.route("http://front/", lambda route: route.fulfill(body="<html></html>", content_type="text/html"))
            page.goto("http://front/")
            style = STYLE + style_sheet("keys") + MovingPoint.style() + f":root {{ color-scheme: {scheme}; }}"
            page.set_content(f"<style>{style}</style><div class='attention-lab lab-movingpoint front'></div>")
            page.evaluate(SHOW, [markup_of(*next(iter(SENTENCES.items()))), 0])
            page.evaluate("Promise.all(['', 'bold '].map((w) => document.fonts.load(`${w}20px Hangul`, '배고파서')))")
            save(FOLDER / f"moving_{scheme}.gif", *frames_of(page))
            save(FOLDER / f"explorer_{scheme}.gif", *explorer(page))
        browser.close()


if __name__ == "__main__":
    main()
