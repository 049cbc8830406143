"""Take the pictures of the README: the Explorer of notebook 01, in a light and in a dark page.

python tools/front_picture.py        # writes notebooks/images/explorer_light.png and explorer_dark.png
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "notebooks" / "presenting"), str(ROOT / "tests" / "browser")]

import make_pages  # noqa: E402
from harness import CHROMIUM_FLAGS, chromium_path  # noqa: E402

FOLDER = ROOT / "notebooks" / "images"
SEEN = {"x": 0, "y": 122, "width": 850, "height": 410}  # of the page, in its own pixels: goal, glosses and matrices


def main() -> None:
    """Open the page of the lab in each scheme, and store what a visitor sees of it."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        make_pages.write(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": 1000, "height": 900}, color_scheme=scheme, device_scale_factor=2)
            page.goto((Path(folder) / "explorer.html").as_uri())
            page.locator("[data-panel=weights]").wait_for()
            page.evaluate("document.activeElement.blur()")
            page.screenshot(path=FOLDER / f"explorer_{scheme}.png", clip=SEEN)
        browser.close()


if __name__ == "__main__":
    main()
