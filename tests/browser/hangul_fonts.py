"""Which font Chromium painted the Hangul of a page with."""

from typing import Any

#: Marks every element that shows Hangul of its own.
MARK = """(within) => {
    const hangul = /[\\uac00-\\ud7a3]/g, found = [];
    for (const node of document.querySelectorAll(`${within} *`)) {
        if (node.closest("style, script") || !node.getClientRects().length) continue;
        const own = [...node.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data).join("");
        const letters = own.match(hangul)?.length;
        if (!letters) continue;
        node.dataset.hangul = found.length;
        found.push([own, letters]);
    }
    return found;
}"""


def not_in_the_font(page: Any, within: str = "body", font: str = "Attention Hangul") -> list[str]:
    """Return the texts whose Hangul is painted with another font than the library's; there must be texts.

    Chromium is asked what it painted with: what a style sheet names says little, for what is painted already can stay.
    """
    page.evaluate("document.fonts.ready.then(() => new Promise((drawn) => requestAnimationFrame(() => drawn(null))))")
    wrong, found = [], page.evaluate(MARK, within)
    assert found
    chromium = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        chromium.send(f"{domain}.enable")
    root = chromium.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    for number, (text, letters) in enumerate(found):
        asked = {"nodeId": root, "selector": f'[data-hangul="{number}"]'}
        node = chromium.send("DOM.querySelector", asked)["nodeId"]
        fonts = chromium.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        if sum(each["glyphCount"] for each in fonts if each["familyName"] == font) < letters:
            wrong.append(text)
    chromium.detach()
    return wrong
