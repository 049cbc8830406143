"""`make address` fills in the public address everywhere, and before it no link leads nowhere."""

import shutil
from pathlib import Path

import address
import pytest

ROOT = Path(__file__).parents[2]
ONE, OTHER = "study-group/attention.notes", "Someone-Else/how_it_works"
BINDER = "https://mybinder.org/v2/gh/{}/HEAD?urlpath=lab/tree/notebooks/{}"


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    """What may name the address, as it is before the address is known: only to be copied."""
    folder = tmp_path_factory.mktemp("before")
    for page in address.pages(ROOT):
        copy = folder / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page, copy)
    address.write(folder, None)
    return folder


@pytest.fixture
def tree(before, tmp_path):
    return shutil.copytree(before, tmp_path / "tree")


def texts(tree):
    return {page.relative_to(tree).as_posix(): page.read_text("utf-8") for page in address.pages(tree)}


def notebooks(tree):
    return [path.name for path in sorted(tree.glob("notebooks/[0-9]*.ipynb"))]


def test_this_tree_is_as_the_command_leaves_it(tree):
    """Also after somebody adds a notebook to the table: then run the command again."""
    known = address.address_of(ROOT)
    if known:
        address.write(tree, known)
    assert texts(tree) == texts(ROOT)


def test_after_a_badge_and_a_link_for_each_notebook_stand(tree):
    address.write(tree, ONE)
    readme = texts(tree)["README.md"]
    assert address.BEFORE not in readme
    assert f"badge_logo.svg)]({BINDER.format(ONE, '00_start_here.ipynb')})" in readme
    assert "| Korean examples | launch |\n|---|---|---|---|---|---|---|\n" in readme
    assert len(notebooks(tree)) >= 10
    for name in notebooks(tree):
        (line,) = [line for line in readme.splitlines() if f"(notebooks/{name})" in line and line.startswith("|")]
        assert line.endswith(f" | [Binder]({BINDER.format(ONE, name)}) |")
    assert f'repository-code: "https://github.com/{ONE}"\n' in texts(tree)["CITATION.cff"]
    assert not any("OWNER" in text for text in texts(tree).values())


def test_another_name_replaces_the_first_and_none_takes_it_out(tree):
    before = texts(tree)
    address.write(tree, OTHER)
    straight = texts(tree)
    address.write(tree, ONE)
    address.write(tree, OTHER)
    assert texts(tree) == straight
    assert not any(ONE in text for text in straight.values())
    address.write(tree, None)
    assert texts(tree) == before


def test_nothing_but_the_address_is_touched(tree):
    """Longer names that begin alike, and the same words elsewhere, stay."""
    page = tree / "CONTRIBUTING.md"
    aside = "\nSee github.com/OWNER/NAMESAKE, OWNER/NAME and github.com/OWNER/NAME-2.\n"
    page.write_text(page.read_text("utf-8") + aside, "utf-8")
    address.write(tree, ONE)
    assert page.read_text("utf-8").endswith(aside)


NONSENSE = (
    *("", "owner", "https://github.com/owner/name", "OWNER/NAME"),
    *("ow--ner/name", "owner/name)", "owner/배", r"owner/\1"),
)


@pytest.mark.parametrize("given", NONSENSE)
def test_nonsense_is_refused_with_a_sentence_and_nothing_changes(tree, given):
    before = texts(tree)
    with pytest.raises(ValueError, match=r"^REPO is the owner and the name of a repository"):
        address.main(given, tree)
    assert texts(tree) == before


def test_a_readme_without_the_places_is_refused(tree):
    readme = tree / "README.md"
    whole = readme.read_text("utf-8")
    for lost, place in [("<!-- launch: end -->", "launch comments"), ("| notebook |", "table of notebooks")]:
        readme.write_text(whole.replace(lost, ""), "utf-8")
        before = texts(tree)
        with pytest.raises(ValueError, match=place):
            address.main(ONE, tree)
        assert texts(tree) == before
