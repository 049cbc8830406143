"""The presenter's pages: minutes add up, and every heading, preset, prediction and number in them exists."""

import re
from pathlib import Path

import lab_hands
import pytest
from notebook_tools import NOTEBOOKS, paths, read

from attention_lib import lessons
from attention_lib.lessons.a_small_language_model import copying_lab
from attention_lib.lessons.attention_as_a_memory import memory_lab
from attention_lib.lessons.attention_as_a_memory.memory_lab import MemoryLab
from attention_lib.lessons.kv_cache import cache_stepper
from attention_lib.lessons.learning_attention import learning_lab
from attention_lib.lessons.mistakes import mistake_lab
from attention_lib.lessons.multi_head_attention import head_surgery
from attention_lib.lessons.positions import turning_lab
from attention_lib.lessons.scaling import scaling_lab
from attention_lib.lessons.scaling.scaling import ScalingState
from attention_lib.lessons.self_attention.explorer import Explorer
from attention_lib.lessons.trained_attention import head_browser

SHEETS = NOTEBOOKS / "presenting" / "run_sheets.md"
SHEET = re.compile(r"^## \[(\d\d) · [^]]+\]\(([^)]+)\), (\d+) minutes\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PRESET_MENUS = ("start from",)


def labs_of(number):
    """The labs of a notebook, as they open."""
    folder = notebook(number).stem[3:]
    names = [name for name, module in lessons.LABS.items() if module.partition(".")[0] == folder]
    return [lab_hands.opened(name) for name in names]


def text():
    return SHEETS.read_text("utf-8")


def sheets():
    """Number, link, minutes and table of each notebook."""
    return SHEET.findall(text())


def rows(table):
    """First minute, last minute and the whole of each row."""
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


def test_there_is_a_sheet_for_every_notebook_but_the_first():
    assert [number for number, *_ in sheets()] == [path.stem[:2] for path in paths()[1:]]
    assert all((SHEETS.parent / link).resolve() == notebook(number) for number, link, *_ in sheets())


@pytest.mark.parametrize("sheet", sheets(), ids=lambda sheet: sheet[0])
def test_the_minutes_of_a_sheet_add_up(sheet):
    assert rows(sheet[3])
    assert gaps(sheet[3], int(sheet[2])) == []


def test_the_minutes_of_the_two_hours_add_up():
    (two_hours,) = re.findall(r"^## Two hours.*?(?=^## )", text(), re.MULTILINE | re.DOTALL)
    assert rows(two_hours) and gaps(two_hours, 120) == []


def test_gaps_are_found():
    assert gaps("| 0–5 | a |\n| 5–10 | b |", 10) == []
    for table in ("| 0–5 | a |\n| 6–10 | b |", "| 0–5 | a |\n| 5–9 | b |", "| 0–5 | a |\n| 5–5 |\n| 5–10 | b |"):
        assert gaps(table, 10)


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


def learned_in(state):
    """What the followed word learns in the surgery lab, as its bars show it."""
    learned = zip(head_surgery.EXAMPLE.features, state.operated()[1].sum(axis=0))
    shown = [f"{name} {number:.2f}".replace("-", "−") for name, number in learned if abs(number) >= 0.005]
    return ", ".join(shown) or "nothing"


def seen():
    """Sentences of the sheets with the computation each comes from."""
    said = text()

    def says(sentence, truth):
        return sentence, sentence in said and truth

    def at_preset(lab, label):
        return next(lab(name) for name, (text, _) in lab.presets.items() if text == label)

    def learned(label):
        return at_preset(learning_lab.LearningLab, label)

    heads = dict(head_browser.HeadBrowser().presets.values())  # label -> state

    def open_head(label):
        state, values = heads[label], heads[label].measured()
        value = values[state.layer, state.head]
        return state.layer, state.head, f"{value:.2f}", value == values.max()  # it comes first by its measure

    def copying(label):
        return at_preset(copying_lab.CopyingLab, label)

    def mistake(label):
        return next(state for text, state in mistake_lab.MistakeLab.presets.values() if text == label)

    def catchers(label):
        return {verdict.name for verdict in mistake_lab.verdicts_of(mistake(label)) if verdict.catches}

    def scaled(d_k, alignment=0.0):
        return scaling_lab.mean_weights(scaling_lab.compare(ScalingState(d_k, alignment=alignment)))[:, 0]

    weights = [scaled(d_k) for d_k in (4, 64, 1024)]
    none, root = (", ".join(f"{w[i]:.2f}" for w in weights) for i in (0, 1))
    surgery = {name: learned_in(state) for name, (_, state) in head_surgery.HeadSurgeryLab().presets.items()}
    starts = {name: state for name, (_, state) in cache_stepper.PRESETS.items()}
    answered = {name: cache_stepper.with_next(state) if state.is_asked else state for name, state in starts.items()}
    steps = {name: cache_stepper.tiles_of(state).tolist() for name, state in answered.items()}
    yield says("the last word gets 0.323 of 배", "Now 고파서 0.323, 깎아서 0.323" in Explorer("plain").still_text())
    yield says("one number makes it 0.599", Explorer("one_number").still_text().count("0.599") == 3)
    yield says("the three matrices make it 0.870", Explorer("three_matrices").still_text().count("0.870") == 3)
    yield says("from 0.40 to 0.84 and 0.96", none == "0.40, 0.84, 0.96")
    yield says("it is 0.22, 0.24 and 0.24", root == "0.22, 0.24, 0.24")
    correlated = scaled(1024, 0.5)
    yield says("now √d_k is saturated too", correlated[1] > 0.99)
    yield says("company goes, doer stays 0.98", surgery["one_off"] == "doer 0.98")
    yield says("both become 0", surgery["averaged"] == "nothing")
    yield says('nothing changes for "barked"', surgery["idle"] == surgery["made"])
    yield says("Paris goes, size stays −2.00", surgery["needed"] == "asks 0.17, size −2.00")
    kept, new, gone, again, none = range(5)
    later = [none] * 4
    one_new = [[*[gone] * 3, new, *later], [*[kept] * 3, new, *later], [*[kept] * 3, new, *later]]
    yield says("one new query, key and value, and three keys and three values are kept", steps["bae"] == one_new)
    yield says("three of them again", steps["recompute"] == [[*[again] * 3, new, *later]] * 3)
    yield says("calculates fifteen tiles at once", steps["prefill"] == [[new] * 5 + [none] * 3] * 3)
    yield says("head 4.4, 0.76", open_head("“it” finds paper") == (4, 4, "0.76", True))
    found = [most == noun for most, noun in head_browser.answers(heads["“it” finds paper"])]
    yield says("and one test sentence of five", found == [True] + 4 * [False])
    cup = open_head("“it” and cup, one of the five sentences")
    yield says("head 3.1 comes first, 0.73", cup == (3, 1, "0.73", True))
    yield says("and the goal is reached", head_browser.goal(heads["“it” and cup, one of the five sentences"])[0])
    yield says("head 0.2 is at 1.00", open_head("a head that looks one word back") == (0, 2, "1.00", True))
    yield says("head 4.5 is the largest, 0.88", open_head("most of the weight on [CLS]") == (4, 5, "0.88", True))
    arriving = open_head("the same head: what arrives from [CLS]")
    yield says("what arrives from [CLS]`: 0.19", arriving[:3] == (4, 5, "0.19"))
    yield says("the largest is 0.40", open_head("“creature” and “fluffy”")[2:] == ("0.40", True))
    for label in ("after training", "after training without 고파서"):
        lab = learned(label)
        row = sorted(zip(lab.reading.row, lab.state.words), reverse=True)[:3]
        looks = ", ".join(f"{word} {weight:.2f}" for weight, word in row)
        yield says(f"`{label}`: {looks}", lab.state.step == learning_lab.STEPS)
    frozen = learned("after training with W_Q and W_K frozen")
    yield says("the answers are right all the same", "100% of 300" in frozen.line.text)
    for sentence, lab in (("the row of 배 is even", learned("before training")), ("the row stays even", frozen)):
        yield says(sentence, max(lab.reading.row) < 0.14)
    memory = {name: memory_lab.matrices_of(state)["read"] for name, (_, state) in MemoryLab().presets.items()}
    yield says("Ann reads 1.00 of tea, her old drink", round(memory["added"][0, 0], 2) == 1)
    yield says("Ben reads 0.54 of juice", round(memory["overwritten"][1, 2], 2) == 0.54)
    fast = learned("a learning rate that is too high").goal.text
    yield says("by step 5 its numbers have grown beyond 100", "by step 5 the numbers have grown beyond 100" in fast)
    yield says("the row sums catch it", "row sums" in catchers("one that can be seen"))
    drop = copying("two layers, in the middle of the drop")
    yield says("step 160, 55% right", drop.state.step == 160 and "55% of its guesses" in drop.line.text)
    for label, right in (("two layers, one head of layer 0 cut", "10%"), ("one layer, after training", "18%")):
        yield says(f"`{label}`: {right} right", f"{right} of its guesses" in copying(label).line.text)
    waits = "one that an unusual row shows"
    same = "changes nothing" in mistake_lab.change(mistake(waits))
    yield says("the map is the same, and the dead row catches it", same and catchers(waits) == {"dead row"})
    yield says("the spread alone catches it", catchers("one that is hard to see") == {"spread"})
    three = catchers("three words fit by chance")
    yield says("the order of the keys, the future and the shift catch it", three == {"key order", "future", "shift"})
    yield from turned(says)
    cache = "a cache: the last two ask"
    difference = mistake_lab.MistakeLab().panels(mistake(cache))["beside"].array
    differ = f"{abs(difference).max():.2f}" == "0.93"
    yield says("by up to 0.93, and the cache alone catches it", differ and catchers(cache) == {"cache"})


def turned(says):
    """What the sheet of 10 says of its lab."""
    states = {name: state for name, (_, state) in turning_lab.TurningLab.presets.items()}

    def score(state):
        return f"{turning_lab.matrices_of(state)['score'][0, 0]:.2f}"

    both = turning_lab.moved(states["one"], "both", 20)
    turned = turning_lab.moved(both, "query", 6)
    both_and_one = score(both), score(turned)
    yield says("the score stays −0.42; then the query to 6, it is −0.99", both_and_one == ("-0.42", "-0.99"))
    yield says("at 25 the score is 0.99", score(turning_lab.moved(states["again"], "query", 25)) == "0.99")
    four = states["four"]
    best = turning_lab.scores_at(four, [0])[0]
    yield says("at 25 it is 0.78 of 4", (four.query - four.key, score(four), best) == (25, "0.78", 4))
    yield says("the largest score is at distance 1", turning_lab.scores_at(states["back"]).argmax() == 51)


def test_what_the_audience_will_see_is_what_the_labs_show():
    assert [sentence for sentence, holds in seen() if not holds] == []


def test_the_readme_leads_to_the_sheets():
    readme = (Path(SHEETS).parent.parent.parent / "README.md").read_text("utf-8")
    assert "](notebooks/presenting/run_sheets.md)" in readme
