"""Notebook 00: its map has every notebook, in order, and what each needs comes before it."""

import re

from notebook_tools import paths, read

from attention_lib.examples.three_meanings import load_meanings

MOST_WORDS = 700  # without what is closed under "Further"
ROW = re.compile(r"^\| \[(\d\d)\]\(([^)]+)\) [^|]+\| [^|]+\? \| ([\d, ]*) ?\|$", re.MULTILINE)


def cells():
    return read(paths()[0]).cells


def rows():
    (map_,) = (cell.source for cell in cells() if cell.source.startswith("## The notebooks"))
    return ROW.findall(map_)


def test_the_map_has_every_notebook_in_order():
    assert [link for _, link, _ in rows()] == [path.name for path in paths()[1:]]


def test_what_a_notebook_needs_stands_above_it():
    seen = set()
    for number, _, needs in rows():
        assert set(re.findall(r"\d\d", needs)) <= seen
        assert bool(needs.strip()) == (number != "01")
        seen.add(number)


def test_the_numbers_of_the_three_words_are_those_of_the_lab():
    embeddings = load_meanings().embeddings
    text = cells()[2].source
    for word in ("배", "고파서"):
        assert re.search(rf"{word}[^.]* ({re.escape(str(tuple(embeddings[word][:3].astype(int).tolist())))})", text)
    assert not embeddings["어제"].any()


def test_a_week_holds_the_five_notebooks_that_it_names_in_an_order_that_can_be_done():
    needs = {number: set(re.findall(r"\d\d", needed)) for number, _, needed in rows()}
    (said,) = (cell.source for cell in cells() if "20 to 40 minutes" in cell.source)
    path = re.findall(r"\d\d", re.search(r"a week, do ([^.]*)\.", said)[1])
    assert len(path) == 5 and all(needs[number] <= set(path[:i]) for i, number in enumerate(path))
    assert len(needs) == 15 and "For all fifteen, allow three weeks." in said  # five days of work each


def test_the_map_and_each_notebook_say_the_same_about_what_is_needed():
    for path, (number, _, needs) in zip(paths()[2:], rows()[1:], strict=True):
        sentences = read(path).cells[0].source.split(". ")
        said = [sentence for sentence in sentences if re.search(" needs? |You should also", sentence)]
        named = re.findall(r"[Nn]otebook \[?(\d+)", " ".join(said))
        assert {int(other) for other in named} == {int(other) for other in needs.split(", ")}, number


def test_it_is_short_and_begins_with_something_live():
    text = " ".join(cell.source for cell in cells() if cell.cell_type == "markdown").partition("## Further")[0]
    assert len(text.split()) <= MOST_WORDS
    assert "MovingPoint()" in cells()[1].source and len(cells()[0].source.split()) < 80
