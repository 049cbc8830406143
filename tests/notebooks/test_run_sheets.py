"""The presenter's pages: minutes add up, and every heading, preset, prediction and number in them exists."""

import re

import lab_hands
import pytest
from notebook_tools import NOTEBOOKS, paths, read

from attention_lib import lessons
from attention_lib.lessons.kv_cache import cache_stepper
from attention_lib.lessons.learning_attention import learning_lab
from attention_lib.lessons.mistakes import mistake_lab
from attention_lib.lessons.positions import turning_lab
from attention_lib.lessons.scaling import scaling_lab
from attention_lib.lessons.scaling.scaling import ScalingState
from attention_lib.lessons.trained_attention import head_browser

SHEETS = NOTEBOOKS / "presenting" / "run_sheets.md"
SHEET = re.compile(r"^## \[(\d\d) · [^]]+\]\(([^)]+)\), (\d+) minutes\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PRESET_MENUS = ("start from",)


def labs_of(number):
    folder = notebook(number).stem[3:]
    names = [name for name, module in lessons.LABS.items() if module.partition(".")[0] == folder]
    return [lab_hands.opened(name) for name in names]


def text():
    return SHEETS.read_text("utf-8")


def sheets():
    return SHEET.findall(text())


def rows(table):
    return [(int(a), int(b), row) for row, a, b in re.findall(r"^(\| (\d+)–(\d+) \|.*)$", table, re.MULTILINE)]


def gaps(table, total):
    """What is wrong with the minutes of a table."""
    ends = [(start, end) for start, end, _ in rows(table)]
    times = [0, *[end for _, end in ends]]
    found = [f"{start} follows {before}" for before, (start, _) in zip(times, ends) if start != before]
    found += [f"{start}–{end} is not a time" for start, end in ends if end <= start]
    return found + ([] if times[-1] == total else [f"it ends at {times[-1]}, not at {total}"])


def headings(cells):
    lines = [line for cell in cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    return {match[1] for match in map(re.compile(r"#{1,3} (.+)").fullmatch, lines) if match}


def entries(widget):
    """The entries of a lab's menu of presets."""
    options = getattr(widget, "options", ()) if getattr(widget, "description", "") in PRESET_MENUS else ()
    own = {str(option[0] if isinstance(option, tuple) else option) for option in options}
    return own.union(*map(entries, getattr(widget, "children", ())))


def presets(number):
    return set().union(*map(entries, labs_of(number)))


def notebook(number):
    return next(path for path in paths() if path.stem.startswith(number))


def test_there_is_a_sheet_for_every_notebook_but_the_first_and_the_minutes_of_each_and_of_two_hours_add_up():
    assert [number for number, *_ in sheets()] == [path.stem[:2] for path in paths()[1:]]
    assert all((SHEETS.parent / link).resolve() == notebook(number) for number, link, *_ in sheets())
    (two_hours,) = re.findall(r"^## Two hours.*?(?=^## )", text(), re.MULTILINE | re.DOTALL)
    for name, minutes, table in [("two hours", 120, two_hours), *((sheet[0], *sheet[2:]) for sheet in sheets())]:
        assert rows(table) and gaps(table, int(minutes)) == [], name


@pytest.mark.parametrize("sheet", sheets(), ids=lambda sheet: sheet[0])
def test_everything_a_sheet_names_exists(sheet):
    number, _, _, table = sheet
    cells = read(notebook(number)).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert set(re.findall(r"\*\*(.+?)\*\*", table)) - headings(cells) == set()
    named = set(re.findall(r"`(.+?)`", table))
    predictions = {name for name in named if re.fullmatch(r"\d\d\.\w+", name)}
    assert predictions
    assert predictions <= set(re.findall(r'predict\(\s*"([^"]+)"', code))
    starts = presets(number)
    assert len(named - predictions) >= (2 if starts else 0)
    assert named - predictions - starts == set()


NUMBER = re.compile(r"−?\d+\.\d+|\d+%")
SHOWN_BY = ("description", "value", "_options_labels", "_markup", "_shares")


def numbers_of(widget):
    """Every decimal number and every share in what a widget shows."""
    own = {n for name in SHOWN_BY for n in NUMBER.findall(str(getattr(widget, name, "")).replace("-", "−"))}
    return own.union(*map(numbers_of, getattr(widget, "children", ())))


def is_shown(claim, lab):
    """Whether a number stands in the words of a lab, or is one of its numbers, rounded."""
    panels = lab.view.panels if lab.view else {}
    titles = {number for panel in panels.values() for number in NUMBER.findall(panel.title)}
    digits = len(claim.partition(".")[2])
    rounded = {f"{value:.{digits}f}".replace("-", "−") for name in panels for value in lab.view[name].flat}
    return claim in numbers_of(lab) | titles | rounded


@pytest.mark.parametrize("sheet", sheets(), ids=lambda sheet: sheet[0])
def test_the_numbers_behind_a_preset_are_those_that_its_lab_shows(sheet):
    presets = {label: (lab, name) for lab in labs_of(sheet[0]) for name, (label, _) in lab.presets.items()}
    for label, said in re.findall(r"`([^`]+)`([^`|]*)", sheet[3]):
        if label in presets:
            lab, name = presets[label]
            lab._starts.value = name
            claims = set(NUMBER.findall(said)) - MOVED.get(label, set())
            assert [claim for claim in claims if not is_shown(claim, lab)] == [], label


#: What a lab shows when something was moved: `turned` calculates it.
MOVED = {
    "1 · one pair: the score stays, the score turns": {"−0.99"},
    "2 · one pair, key and query at one position: which distance looks the same?": {"0.99"},
}


def seen():
    """Sentences of the sheets that no preset shows as a number, with the computation each comes from."""
    said = text()

    def says(sentence, truth):
        return sentence, sentence in said and truth

    def mistake(label):
        return next(state for text, state in mistake_lab.MistakeLab.presets.values() if text == label)

    def catchers(label):
        return {verdict.name for verdict in mistake_lab.verdicts_of(mistake(label)) if verdict.catches}

    def scaled(d_k, alignment=0.0):
        return scaling_lab.mean_weights(scaling_lab.compare(ScalingState(d_k, alignment=alignment)))[:, 0]

    weights = [scaled(d_k) for d_k in (4, 64, 1024)]
    none, root = (", ".join(f"{w[i]:.2f}" for w in weights) for i in (0, 1))
    yield says("from 0.40 to 0.84 and 0.96", none == "0.40, 0.84, 0.96")
    yield says("it is 0.22, 0.24 and 0.24", root == "0.22, 0.24, 0.24")
    yield says("now √d_k is saturated too", scaled(1024, 0.5)[1] > 0.99)
    starts = {name: state for name, (_, state) in cache_stepper.PRESETS.items()}
    answered = {name: cache_stepper.with_next(state) if state.is_asked else state for name, state in starts.items()}
    n_new = {name: len(cache_stepper.calculated(state)) for name, state in answered.items()}
    yield says("one new query, key and value, and three keys and three values are kept", n_new["bae"] == 3)
    yield says("the twelve tiles of all four words, nine of them again", n_new["recompute"] == 12)
    yield says("calculates fifteen tiles at once", n_new["prefill"] == 15)
    heads = dict(head_browser.HeadBrowser().presets.values())
    found = [most == noun for most, noun in head_browser.answers(heads["“it” finds paper"])]
    yield says("and one test sentence of five", found == [True] + 4 * [False])
    yield says("and the goal is reached", head_browser.goal(heads["“it” and cup, one of the five sentences"])[0])
    # A map, a drawing of curves and a row of weights have so many numbers that a wrong one may be among them.
    about = dict(re.findall(r"`([^`]+)`([^`|]*)", said))
    for label, state in heads.items():
        value, largest = state.measured()[state.layer, state.head], state.measured().max()
        named = set(re.findall(r"head (\d\.\d)", about[label])) <= {f"{state.layer}.{state.head}"}
        yield f"{label}: {value:.2f}", f"{value:.2f}" in about[label] and named and (value == largest or state.arriving)
    for name in ("after", "unseen"):
        label, lab = learning_lab.LearningLab.presets[name][0], learning_lab.LearningLab(name)
        row = sorted(zip(lab.reading.row, lab.state.words), reverse=True)[:3]
        yield says(f"`{label}`: " + ", ".join(f"{word} {weight:.2f}" for weight, word in row), True)
    frozen = learning_lab.LearningLab("frozen")
    yield says("the answers are right all the same", "100% of 300" in frozen.line.text)
    yield says("the row of 배 is even", max(learning_lab.LearningLab("before").reading.row) < 0.14)
    yield says("the row stays even", max(frozen.reading.row) < 0.14)
    yield says("the row sums catch it", "row sums" in catchers("one that can be seen"))
    waits = "one that an unusual row shows"
    same = "changes nothing" in mistake_lab.change(mistake(waits))
    yield says("the map is the same, and the dead row catches it", same and catchers(waits) == {"dead row"})
    yield says("the spread alone catches it", catchers("one that is hard to see") == {"spread"})
    three = catchers("three words fit by chance")
    yield says("the order of the keys, the future and the shift catch it", three == {"key order", "future", "shift"})
    yield says("and the cache alone catches it", catchers("a cache: the last two ask") == {"cache"})
    yield from turned(says)


def turned(says):
    """What the sheet of 10 says of its lab."""
    states = {name: state for name, (_, state) in turning_lab.TurningLab.presets.items()}

    def score(state):
        return f"{turning_lab.matrices_of(state)['score'][0, 0]:.2f}"

    both = turning_lab.moved(states["one"], "both", 20)
    yield says("then the query to 6, it is −0.99", score(turning_lab.moved(both, "query", 6)) == "-0.99")
    yield says("at 25 the score is 0.99", score(turning_lab.moved(states["again"], "query", 25)) == "0.99")
    four, best = states["four"], turning_lab.scores_at(states["four"], [0])[0]
    yield says("at 25 it is 0.78 of 4", (four.query - four.key, best) == (25, 4))
    yield says("the largest score is at distance 1", turning_lab.scores_at(states["back"]).argmax() == 51)


def test_what_the_audience_will_see_is_what_the_labs_show():
    assert [sentence for sentence, holds in seen() if not holds] == []
