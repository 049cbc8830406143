// Hangul where the reader's machine has no font for it: the library's own is asked for, by one view of a page, and by
// the next where that one gets no answer: a kernel may be gone that an older view still asks.

const PATIENCE = 1500; // ms without an answer, after which another view asks
const FAMILY = "Attention Hangul";
const FONTS_OF_THE_PAGE = ["--jp-content-font-family", "--jp-ui-font-family", "--jp-code-font-family"];

// Without a font two syllables are the same box.
function areOneBox() {
  const [one, other] = ["가", "힣"].map((syllable) => {
    const canvas = document.createElement("canvas");
    canvas.width = 24;
    canvas.height = 24;
    const context = canvas.getContext("2d");
    if (context) context.font = "20px sans-serif";
    context?.fillText(syllable, 2, 20);
    return canvas.toDataURL();
  });
  return one === other;
}

const SMALL = 4; // px

// In Firefox the box holds the syllable's number, and stays as wide as that takes, however small the letters are.
function isNumberedBox() {
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return false;
  context.font = `${SMALL}px sans-serif`;
  return context.measureText("가").width > 2 * SMALL;
}

// A view has brought it, or a style sheet has: that of `make lab`, say.
const isHere = () => [...document.fonts].some(({ family }) => family.replaceAll('"', "") === FAMILY);

// Asks Python for the font, if it is missing, at once or after whoever on this page has asked before.
export function askForHangul(model) {
  const page = document.documentElement;
  if (isHere() || !(areOneBox() || isNumberedBox())) return;
  const hear = (content, buffers) => {
    if (content.do !== "font" || !buffers?.length) return;
    model.off("msg:custom", hear);
    if (!isHere()) use(buffers[0]);
  };
  const ask = () => {
    if (isHere()) return;
    page.dataset.attentionHangul = "asked";
    model.on("msg:custom", hear);
    model.send({ do: "font" });
  };
  if (page.dataset.attentionHangul) setTimeout(ask, PATIENCE);
  else ask();
}

// Words around the views, a notebook's text above all, are in the same need. The font comes first, for Hangul alone:
// where it is named after the page's own, Chromium goes on painting the boxes of words that it has painted before.
function use(bytes) {
  document.fonts.add(new FontFace(FAMILY, bytes, { unicodeRange: "U+1100-11FF, U+3130-318F, U+AC00-D7A3" }));
  const page = document.documentElement;
  const style = getComputedStyle(page);
  for (const name of FONTS_OF_THE_PAGE) {
    const given = style.getPropertyValue(name);
    if (given) page.style.setProperty(name, `"${FAMILY}", ${given}`);
  }
}
