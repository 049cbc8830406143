"""What a stranger meets first: the README, its links and its commands."""

import ast
import datetime
import functools
import importlib
import importlib.util
import re
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

import attention_lib
from attention_lib.checks import check, exercise_names, exercises
from attention_lib.checks.exercise import compile_function

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("data/*.md"), *ROOT.glob("notebooks/**/*.md"), *ROOT.glob("notebooks/*.ipynb")]
)
NOTEBOOKS = sorted(ROOT.glob("notebooks/*.ipynb"))
MODULES = sorted(
    [
        *ROOT.glob("attention_lib/**/*.py"),
        *ROOT.glob("data/*.py"),
        *ROOT.glob("tests/**/[!t]*.py"),
        *ROOT.glob("tools/**/*.py"),
    ]
)
LINK = re.compile(r"""\]\(\s*<?([^)\s>]+)|(?:src|href)\s*=\s*["']([^"']+)""")
PICTURE = re.compile(r"""!\[([^\]]*)\]\(|<img\b(?:[^>]*?\balt="([^">]*)")?""")
FILE = re.compile(r"[\w./-]*[\w-]\.(?:py|ipynb|md|json|npz|txt|toml|cff|js|css|ttf)\b(?!\()")
NOTEBOOK = re.compile(r"\b[Nn]otebooks?\s+\[?(\d\d?)\b")
OURS = {
    file.name
    for folder in ("attention_lib", "data", "notebooks", "tests", "tools")
    for file in (ROOT / folder).rglob("*.*")
}
NOT_OURS = {
    "data/name.json",  # made up, for who adds one
    *{"names.txt", "sheet.txt", "passwords.json"},  # of a class
    *{"Node.js", "tokenizer.json", "masking_utils.py", "kernel.json", "output.py", "page_config.json"},  # of others
}

ROOMS = (  # each may use those above it
    "attention masks multi_head kv_cache layers linear_attention positions language_model",
    "training",
    "examples",
    "plots",
    "live",
    "checks",
    "lessons",
)
NUMPY_ALONE = 3  # the first rooms need nothing else
OF_ALL_ROOMS = {"__init__", "_arguments", "_kept", "_notebooks", "_numbers", "_words", "environment"}


@functools.cache  # of this folder's files, which stay as they are, and of one that a test writes once
def text_of(page):
    if page.suffix == ".ipynb":
        return "\n\n".join(cell.source for cell in nbformat.read(page, 4).cells if cell.cell_type == "markdown")
    return page.read_text("utf-8")


def prose_of(page):
    """The text without code blocks, where a # is a comment and not a heading."""
    return re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)


def anchors_of(page):
    """Addresses of headings: GitHub writes them small and without signs, Jupyter as they are."""
    titles = re.findall(r"^#+\s+(.+?)\s*#*$", prose_of(page), re.MULTILINE)
    if page.suffix == ".ipynb":
        return {title.replace(" ", "-") for title in titles}
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(page):
    """Links of a page that lead nowhere, to no file or to no heading of it."""
    for link in map("".join, LINK.findall(prose_of(page))):
        if "://" in link or link.startswith(("mailto:", "data:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            yield link


def name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_local_link_and_picture_leads_somewhere(page):
    assert list(broken(page)) == []


def test_every_picture_has_words():
    assert min(len("".join(words)) for page in PAGES for words in PICTURE.findall(prose_of(page))) >= 20


def test_every_file_and_notebook_that_is_named_exists():
    texts = [text_of(module) for module in MODULES]
    texts += [code for page in PAGES for code in re.findall(r"`[^`]+`", prose_of(page))]  # files stand in code type
    named = {file for text in texts for file in FILE.findall(text) if "//" not in file and file[0] != "/"}
    assert {file for file in named - OURS if not (ROOT / file).exists() and "NAME" not in file} == NOT_OURS
    numbers = {int(number) for page in [*PAGES, *MODULES] for number in NOTEBOOK.findall(text_of(page))}
    assert set() < numbers <= {int(path.name[:2]) for path in NOTEBOOKS}


def test_every_name_of_the_library_in_prose_exists():
    named = {name for page in PAGES for name in re.findall(r"`(attention_lib(?:\.\w+)+)`", prose_of(page))}
    assert named
    for dotted in named:
        module, _, attribute = dotted.rpartition(".")
        known = hasattr(importlib.import_module(module), attribute)  # a module of a room only once it was imported
        assert known or importlib.util.find_spec(dotted), dotted


def imported(module):
    """Every module that a file of the library imports, wherever in the file, by its full name."""
    folder = module.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(text_of(module))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        if isinstance(node, ast.Constant) and str(node.value).startswith("attention_lib."):
            yield node.value  # as importlib is given it
        if isinstance(node, ast.ImportFrom):
            start = ".".join(folder[: len(folder) - node.level + 1]) if node.level else ""
            whole = ".".join(filter(None, (start, node.module)))
            yield from (f"{whole}.{name.name}" for name in node.names)


def test_each_room_uses_only_rooms_above_it():
    where = {name: i for i, names in enumerate(ROOMS) for name in names.split()}
    for module in ROOT.glob("attention_lib/**/*.py"):
        room = module.relative_to(ROOT / "attention_lib").parts[0].removesuffix(".py")
        if room in OF_ALL_ROOMS:
            continue
        for name in imported(module):
            first, _, used = name.partition(".")
            if first == "attention_lib" and used.partition(".")[0] in where:
                assert where[used.partition(".")[0]] <= where[room], f"{module.name} imports {name}"
            if where[room] < NUMPY_ALONE:
                assert first in {"numpy", "attention_lib", *sys.stdlib_module_names}, f"{module.name} imports {name}"


def test_every_module_stands_in_the_table_of_rooms():
    rows = re.findall(r"^\| (`[^|]*) \|", text_of(ROOT / "CONTRIBUTING.md"), re.MULTILINE)
    named = set(re.findall(r"`(\w+)(?:\.py)?`", " ".join(rows)))
    modules = {path.parent if path.name == "__init__.py" else path for path in ROOT.glob("attention_lib/**/*.py")}
    assert {path.stem for path in modules if path.parent.name == "attention_lib"} <= named


def test_the_citation_agrees_with_the_project():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    required = {"cff-version", "message", "title", "authors"}  # by the format, version 1.2.0
    assert required <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == attention_lib.__version__
    assert (ROOT / "LICENSE").read_text().startswith(f"{citation['license']} License")
    assert all(author.get("name") or author.get("family-names") for author in citation["authors"])
    assert isinstance(citation["date-released"], datetime.date)


def test_every_file_of_data_says_where_it_comes_from():
    rows = [line for line in text_of(ROOT / "data" / "README.md").splitlines() if line.startswith("| `")]
    for file in ROOT.glob("data/*.[jn][sp]*"):
        assert any(f"`{file.name}`" in row.split(" | ")[0] for row in rows), file.name


@pytest.mark.parametrize("notebook", sorted(ROOT.glob("notebooks/[01]*.ipynb"))[1:], ids=lambda path: path.name[:2])
def test_the_readme_and_the_notebook_agree_on_the_minutes(notebook):
    said = re.search(r"[Aa]bout (\d+) minutes", nbformat.read(notebook, 4).cells[0].source)
    row = re.search(rf"\(notebooks/{notebook.name}\) \|.*?\| (\d+) \|", text_of(ROOT / "README.md"))
    assert said[1] == row[1]


def test_the_exercises_take_as_long_as_the_readme_and_notebook_00_say():
    taken = {path.stem: [exercises()[name].minutes for name in exercise_names(path.stem)] for path in NOTEBOOKS}
    lessons = {path.parent.name for path in ROOT.glob("attention_lib/lessons/*/exercises.py")}
    assert {stem[3:] for stem, minutes in taken.items() if minutes} == lessons
    assert all(20 <= sum(minutes) <= 40 for minutes in taken.values() if minutes)
    assert "20 to 40 minutes" in text_of(ROOT / "notebooks/00_start_here.ipynb")
    readme = text_of(ROOT / "README.md")
    rows = re.findall(r"\(notebooks/(\w+)\.ipynb\) \|.*\| (\d+) \| (\d+|–) \| [✓–] \| [✓–] \|", readme)
    assert {row[0]: row[2] for row in rows} == {stem: str(sum(minutes) or "–") for stem, minutes in taken.items()}
    core = re.search(r"The core, notebooks (.*?), takes about (\d+) hours .* all sixteen take about (\d+)\.", readme)
    hours = {stem[:2]: (int(minutes) + sum(taken[stem])) / 60 for stem, minutes, _exercises in rows}
    assert int(core[2]) == round(sum(hours[number] for number in re.findall(r"\d\d", core[1])))
    assert len(rows) == 16 and int(core[3]) == round(sum(hours.values()))


def test_the_readme_quotes_what_the_check_says():
    answer = re.search(r"```python\n(def .*?)```", text_of(ROOT / "README.md"), re.DOTALL)[1]
    name = "attention_from_embeddings"
    said = check(name, compile_function(answer, name))
    quoted = re.search(r"^> (.+)$", text_of(ROOT / "README.md"), re.MULTILINE)[1]
    assert quoted in str(said)


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {name for page in PAGES for name in re.findall(r"(?:`|^)make ([a-z]+)", text_of(page), re.MULTILINE)}
    assert set() < named <= targets


def test_an_installed_copy_of_the_library_is_whole():
    installed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    folders = {file.parent for file in ROOT.glob("attention_lib/**/*.py")}
    rooms = {".".join(folder.relative_to(ROOT).parts) for folder in folders if folder.parent.name != "lessons"}
    assert rooms | {"attention_lib.data"} == set(installed["packages"])
    patterns = {
        ROOT / installed["package-dir"].get(package, package.replace(".", "/")): names
        for package, names in installed["package-data"].items()
    }
    packed = {file for folder, names in patterns.items() for name in names for file in folder.glob(name)}
    files = [*ROOT.glob("attention_lib/**/*.*"), *ROOT.glob("data/*.[!p]*")]
    in_packages = {file for folder in folders if folder.parent.name != "lessons" for file in folder.glob("*.py")}
    assert [file for file in files if file.suffix != ".pyc" and file not in packed | in_packages] == []


def test_the_first_screen_shows_the_calculation_one_line_per_step_with_its_shape():
    """Learners are sent there."""
    lines = text_of(ROOT / "attention_lib" / "attention.py").splitlines()[:50]
    steps = [
        line.split(" = ")[0].strip() for line in lines if re.search(r"^    \w+ = .*  # \(\.\.\., \w+, \w+\)", line)
    ]
    assert steps == ["scores", "scaled_scores", "masked_scores", "weights", "output"]


def test_before_a_commit_nothing_is_fetched_and_the_tools_are_those_of_make_lint():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    for hook in config["repos"][0]["hooks"]:
        tool = hook["entry"].removeprefix(".venv/bin/python ").partition(" --")[0]
        same_faults_as_test_notebooks = "tools/notebook_tools.py"
        assert re.search(rf"{tool}\b", recipe) or tool == same_faults_as_test_notebooks
