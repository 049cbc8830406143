"""Numbers in what a notebook and its predictions say: a cell prints them, a sum gives them, or they are listed here."""

import math
import re

import pytest
from notebook_tools import paths, read

from attention_lib.checks.registry import predictions

#: Numbers that no cell prints. A test of the notebook or of its lab calculates them, unless they are plain arithmetic
#: or an example; better than a longer list is a cell that prints.
NOT_PRINTED = {
    "01": "1.5 2.5 1.732 5.65 0.586 0.240 0.599",
    "02": "0.9 0.26 1.368",
    "03": "0.135 2.718",
    "05": "0.005",
    "07": "0.003 0.15",
    "08": "12.25",
    "09": "0.2",
    "10": "6.28 18.8 25.1 44.0 2.49 0.07 0.13 0.21 0.98 0.26",
    "12": "2.71828 7.38906 2.7175 2.7185 0.275",
    "13": "12.5",
    "14": "5158.07 5.40 5.60 16.10 6.95",
    "15": "0.05",
}
#: What is calculated, and ahead of it what comes out: in a = b = c, b is both.
RESULT = r"−?\d+(?:,\d{3})*(?:\.\d+)?"
SUM = re.compile(rf"(?<![\w\]^])([(√−\d][\d.()·/+− √]*) = (?=({RESULT}))")
SUM_AND_RESULT = re.compile(SUM.pattern + RESULT)
SIGNS = str.maketrans({"−": "-", "·": "*"})
NUMBER = re.compile(r"(?<![\w.,/])\d[\d,]*\.\d+(?!\.?\d)")
#: Code, sources with their sections, names of heads, and versions of other libraries.
NO_CLAIM = re.compile(
    r"`[^`]*`|^.*(?:, \d{4}, section|et al\.).*$|\bsections? [\d.]+"
    r"|[Hh]eads? \d+\.\d+(?:,? and \d+\.\d+)?|(?:PyTorch|ONNX|[Ss]ince|version)(?: since| version)? \d+\.\d+",
    re.MULTILINE,
)


def said_to(path, cells):
    """The prose of a notebook, and what its predictions say to those who answered."""
    answers = predictions(path.stem[:2]).values()
    said = [sentence for each in answers for sentence in (each["right"], *each.get("wrong", {}).values())]
    return "\n".join([*(cell.source for cell in cells if cell.cell_type == "markdown"), *said])


def claims(text):
    """The decimal numbers of a text that no sum beside them gives."""
    return NUMBER.findall(SUM_AND_RESULT.sub(" ", NO_CLAIM.sub(" ", text)))


def printed(cells):
    """Every number in the code of a notebook, in what it prints and in the words of its pictures."""
    texts = []
    for cell in cells:
        if cell.cell_type == "code":
            texts.append(cell.source)
            for output in cell.outputs:
                shown = output.get("data", {})
                texts += [output.get("text", ""), *(words for kind, words in shown.items() if kind.startswith("text/"))]
    written = re.findall(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", "\n".join(texts))
    return [float(number.replace(",", "")) for number in written]


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_each_number_in_the_prose_is_printed_by_a_cell_or_listed(path):
    cells, listed = read(path).cells, NOT_PRINTED.get(path.stem[:2], "").split()
    claimed, numbers = claims(said_to(path, cells)), printed(cells)
    for claim in set(claimed) - set(listed):
        value, half = float(claim.replace(",", "")), 0.5 * 10.0 ** -len(claim.partition(".")[2])
        assert any(abs(number - value) <= half + 1e-9 for number in numbers), claim  # rounded
    assert set(listed) <= set(claimed), "listed, but nothing says it any more"


def sums():
    """Each sum in the prose, with the number that is said to come out."""
    for path in paths():
        for terms, result in SUM.findall(said_to(path, read(path).cells)):
            is_whole = terms.count("(") == terms.count(")")  # not the end of e^(8/√2)
            if re.search("[·/+√]", terms) and is_whole:
                yield path.stem, terms, result


def test_each_sum_in_the_prose_gives_the_number_behind_its_equals_sign():
    """A reader who takes the printed numbers gets the printed digits."""
    assert len(list(sums())) > 40
    for name, terms, result in sums():
        code = re.sub(r"√(\d+)", r"math.sqrt(\1)", terms.translate(SIGNS))
        digits = len(result.partition(".")[2])
        said = result.translate(SIGNS).replace(",", "")
        assert f"{eval(code, {'math': math}):.{digits}f}" == said, f"{name}: {terms} = {result}"
