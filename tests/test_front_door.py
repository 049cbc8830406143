"""What a stranger meets first: the README, its links and its commands."""

import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("data/*.md"), *ROOT.glob("notebooks/*.ipynb")])
LINK = re.compile(r"\]\(([^)\s]+)\)")


def text_of(page):
    if page.suffix == ".md":
        return page.read_text("utf-8")
    return "\n\n".join(cell.source for cell in nbformat.read(page, 4).cells if cell.cell_type == "markdown")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_local_link_leads_somewhere(page):
    links = [link for link in LINK.findall(text_of(page)) if "://" not in link and not link.startswith("#")]
    assert [link for link in links if not (page.parent / link.partition("#")[0]).exists()] == []


def test_every_notebook_is_in_the_table_of_the_readme():
    readme = text_of(ROOT / "README.md")
    for notebook in ROOT.glob("notebooks/*.ipynb"):
        assert f"](notebooks/{notebook.name})" in readme


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in ROOT.glob("*.md"):
        assert set(re.findall(r"(?:`|^)make ([a-z]+)", text_of(page), re.MULTILINE)) <= targets


def test_lab_is_started_so_that_links_out_of_the_notebooks_folder_work():
    """Given a file alone, JupyterLab serves that file's folder, and ../data/README.md leads nowhere."""
    for page in (ROOT / "Makefile", ROOT / "README.md"):
        started = [line for line in page.read_text("utf-8").splitlines() if "-m jupyterlab" in line]
        assert started
        assert all("--ServerApp.root_dir=." in line for line in started)


def test_binder_finds_what_it_needs_at_the_root():
    """With a binder folder, Binder would ignore everything at the root; its default Python is too old."""
    assert not (ROOT / "binder").exists()
    assert not (ROOT / ".binder").exists()
    assert re.fullmatch(r"python-3\.1[1-9]", (ROOT / "runtime.txt").read_text().strip())
    assert "-e ." in (ROOT / "requirements.txt").read_text().splitlines()
    assert "[build-system]" not in (ROOT / "pyproject.toml").read_text().splitlines()


def test_the_font_keeps_its_licence_beside_it_and_not_its_reserved_name():
    from fontTools.ttLib import TTFont

    folder = ROOT / "attention_lib" / "fonts"
    assert "SIL OPEN FONT LICENSE" in (folder / "OFL.txt").read_text()
    names = {record.nameID: str(record) for record in TTFont(folder / "AttentionHangul-Regular.ttf")["name"].names}
    assert all("nanum" not in names[number].lower() for number in (1, 3, 4, 6))
