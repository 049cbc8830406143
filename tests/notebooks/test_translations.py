"""The editions in other languages say what the English one says, and nobody who writes English has to wait for them."""

import re
from collections import Counter

import pytest
import translate
from notebook_tools import NOTEBOOKS, read

import attention_lib
from attention_lib import _words, plots
from attention_lib.checks import check
from attention_lib.checks.predict import predict, progress
from attention_lib.lessons import Explorer, MovingPoint

CATALOGUES = [(at.name, path) for at in sorted(_words.LOCALE.iterdir()) for path in translate.sources(at.name)]
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
KEPT = {
    "numbers": lambda text: Counter({n.lstrip("0") or "0" for n in NUMBER.findall(re.sub(r"\{[^{}]*\}", "", text))}),
    "code": lambda text: Counter(re.findall(r"`([^`\n]+)`", text)),
    "links": lambda text: Counter(re.findall(r"\]\(([^)\s#][^)\s]*)", text)),
    "placeholders": lambda text: Counter(re.findall(r"\{[^{}]*\}", text)),
}
FEW = {str(number) for number in range(13)}  # "four words" may become "4개"
CHANGING = "은|는|이|가|을|를|과|와|으로|로|이나|나|이라|라"
KOREAN = {
    "a particle that depends on what is filled in": re.compile(rf"\}}[”’)`]*(?:{CHANGING})(?![가-힣])"),
    "two particles at once": re.compile(r"[은을이과]\([는를가와]\)"),
    "two tildes, which JupyterLab draws as a line through the text": re.compile(r"\d~\d[^\n]*\d~\d"),
    "marks that the font of the pictures lacks": re.compile("[「」『』《》〈〉，：！（）]"),
    "bold that ends with a mark before a particle": re.compile(r"[^\s\w*]\*\*(?=[가-힣])(?<=\S\*\*)"),
}


# Three words of English in a row, where no code, style or case of a check stands.
ENGLISH = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,}){2}")
NO_PROSE = re.compile(r"<style>.*?</style>|/\*.*?\*/|`[^`\n]+`|^  .*$|: r = check\(.*$", re.DOTALL | re.MULTILINE)


@pytest.fixture
def korean():
    attention_lib.language("ko")
    yield
    attention_lib.language("en")


def shown_by(widget):
    """Return every text of a widget that a reader sees or hears."""
    names = ("description", "value", "tooltip", "placeholder", "_label", "_options_labels", "_words", "_spec")
    texts = [str(getattr(widget, name, "")) for name in names]
    return [*texts, *(text for child in getattr(widget, "children", ()) for text in shown_by(child))]


def english_in(texts):
    return [found for text in texts for found in ENGLISH.findall(NO_PROSE.sub(" ", text))]


def translated(language, path):
    return translate.translations(translate.load(path, language)).items()


@pytest.mark.parametrize(("language", "path"), CATALOGUES, ids=[f"{name} {path.stem}" for name, path in CATALOGUES])
def test_a_translation_keeps_numbers_code_links_and_placeholders(language, path):
    faults = []
    for english, other in translated(language, path):
        for what, find in KEPT.items():
            left_out, added = find(english) - find(other), find(other) - find(english)
            if what == "numbers":
                added = added.keys() - FEW
            if left_out or added:
                faults.append(f"{what} {[*left_out]} became {[*added]}: {english[:70]!r} -> {other[:70]!r}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "path", [path for language, path in CATALOGUES if language == "ko"], ids=lambda path: path.stem
)
def test_korean_sentences_keep_the_rules_of_their_edition(path):
    faults = [
        f"{fault}: {other[:90]!r}"
        for english, other in translated("ko", path)
        for fault, pattern in KOREAN.items()
        if pattern.search(re.sub(r"`[^`{\n]+`", "code", other))
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("other", sorted(NOTEBOOKS.glob("??/*.ipynb")), ids=lambda other: other.stem)
def test_every_cell_of_an_edition_has_its_english_source(other):
    kinds = {cell.id: cell.cell_type for cell in read(NOTEBOOKS / other.name).cells}
    assert {cell.id: cell.cell_type for cell in read(other).cells} == kinds, "run: make translations"


def test_labs_and_controls_of_01_show_no_english(korean):
    labs = [MovingPoint(), MovingPoint("three"), *map(Explorer, ("plain", "three_matrices", "bae"))]
    asked = [predict("01.three", "one"), predict("01.twice_the_score", 2.718)]
    for control, guess in zip(asked, ("own", "1.5"), strict=True):
        control.entry.value = guess
        control.commit.click()
    texts = [text for widget in (*labs, *asked, progress()) for text in (*shown_by(widget), repr(widget))]
    assert english_in(texts) == []
    picture = plots.moved_points(
        {"": {"배": ([1, 1, 1], [0, 2.6, 0])}}, ["먹는 배", "사람의 배", "타는 배"], title="배"
    )
    assert english_in([picture.description]) == []


def test_a_wrong_answer_of_01_is_told_in_korean(korean):
    answers = {
        "attention_from_embeddings": lambda X, W_Q, W_K, W_V: X @ W_V,
        "mended_attention": lambda Q, K, V: V,
        "makes_an_attention_map": lambda weights_of: True,
    }
    results = {name: check(name, answer) for name, answer in answers.items()}
    assert not any(result.passed for result in results.values())
    assert english_in(map(str, results.values())) == []


def test_a_changed_sentence_is_said_in_english_until_somebody_looks(tmp_path):
    path = tmp_path / "attention.po"
    first = translate.merged(path, "ko", [("here", "The largest weight is {word}."), ("here", "Undo")])
    first["The largest weight is {word}."].string = "가장 큰 가중치: {word}."
    first["Undo"].string = "되돌리기"
    translate.store(first, path)
    second = translate.merged(path, "ko", [("here", "The largest weight is now {word}."), ("there", "Undo")])
    assert second["The largest weight is now {word}."].fuzzy
    assert translate.translations(second) == {"Undo": "되돌리기"}


def test_texts_and_comments_of_code_are_translated_and_the_rest_is_kept():
    code = 'text = "어제 배"  # the words\nplots.bars(text, {"weight": w}, title=f"Largest {w:.2f}", key=w["one"])\n'
    known = {
        "the words": "문장의 단어",
        "weight": "가중치",
        "Largest {w:.2f}": "최댓값: {w:.2f}",
        "one": "하나",
    }
    wanted = (
        'text = "어제 배"  # 문장의 단어\nplots.bars(text, {"가중치": w}, title=f"최댓값: {w:.2f}", key=w["one"])\n'
    )
    assert translate.translated_code(code, known) == wanted
