"""Write the repository's public address wherever a reader needs it: `make address REPO=owner/name`.

Until it has run, the README says in a comment that there is no address, and holds no
link that leads nowhere. Afterwards it has the Binder badge, a launch link for each notebook,
and lines for Colab and nbgitpuller that can be pasted as they are; CITATION.cff names the
address. It can be run again, also with another name. It needs Python and nothing else.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FIRST = "notebooks/00_start_here.ipynb"

#: What stands for the address in the documented lines until it is known.
UNKNOWN = "OWNER/NAME"
#: An owner as GitHub allows it, and a repository.
OWNER_AND_NAME = re.compile(r"(?!.*--)[A-Za-z0-9][A-Za-z0-9-]{0,38}(?<!-)/(?!\.\.?$)[\w.-]{1,100}(?<!\.git)", re.ASCII)

NO_PLACE = "README.md has no {place}, so there is no place for the address. Nothing was changed."
BEFORE = (
    "*You can read the notebooks here, where the labs stand still and the answers are in sight, or "
    "[run them](#run-it) on your own computer.*"
)
AFTER = (
    "[![Open the notebooks on Binder](https://mybinder.org/badge_logo.svg)]({binder}) "
    "opens notebook 00 in a browser, with nothing to install; the table's last column opens the others. "
    "Binder builds its machine first, which can take minutes, and keeps nothing: download what you want to keep. "
    "`git clone https://github.com/{repo}` copies everything to your own machine. "
    "[Four of the labs](https://{owner}.github.io/{name}/) can be tried at once."
)

LAUNCH = re.compile(r"(?<=<!-- launch: make address writes this -->\n).*?(?=\n<!-- launch: end -->)", re.DOTALL)
TABLE = re.compile(r"^\| notebook \|.*\n(?:\|.*\n)+", re.MULTILINE)
COLUMNS = 6  # of the table without the launch links
CITED = re.compile(r'^repository-code: "https://github\.com/(.*)"\n', re.MULTILINE)


def binder_link(repo: str, path: str = FIRST) -> str:
    """Return the address that opens a notebook in JupyterLab on Binder."""
    return f"https://mybinder.org/v2/gh/{repo}/HEAD?urlpath=lab/tree/{path}"


def address_of(root: Path) -> str | None:
    """Return owner/name as CITATION.cff has it; None until it is known."""
    found = CITED.search((root / "CITATION.cff").read_text("utf-8"))
    return found[1] if found else None


def pages(root: Path) -> list[Path]:
    """Return the files that may name the address."""
    return [
        *sorted(root.glob("*.md")),
        *sorted(root.glob("notebooks/*.md")),
        root / "CITATION.cff",
        *sorted(root.glob("notebooks/[0-9]*.ipynb")),
    ]


def write(root: Path, repo: str | None) -> list[Path]:
    """Write the address into every page, or with None take it out again; return the pages that changed.

    Raises
    ------
    ValueError
        If `repo` is no owner/name, or README.md lost the places for the address. Then nothing changes.
    """
    if repo is not None and (repo == UNKNOWN or not OWNER_AND_NAME.fullmatch(repo)):
        raise ValueError(
            "REPO is the owner and the name of a repository on GitHub, as in: make address REPO=octocat/attention "
            f"(it was {repo!r}). Nothing was changed."
        )
    old = address_of(root)
    before = {page: page.read_text("utf-8") for page in pages(root)}
    after = {page: renamed(text, old or UNKNOWN, repo or UNKNOWN) for page, text in before.items()}
    readme, citation = root / "README.md", root / "CITATION.cff"
    after[readme] = with_launch_column(with_launch_part(after[readme], repo), repo)
    cited = f'repository-code: "https://github.com/{repo}"\n' if repo else ""
    after[citation] = CITED.sub("", after[citation]) + cited
    changed = [page for page in before if after[page] != before[page]]
    for page in changed:
        page.write_text(after[page], "utf-8", newline="\n")
    return changed


def renamed(text: str, old: str, new: str) -> str:
    """Replace the repository in addresses, written plainly or as part of another (%2F for the slash)."""
    (old_owner, old_name), (owner, name) = old.split("/"), new.split("/")
    if old_owner not in text:  # as in nearly every notebook, which are megabytes
        return text
    address = rf"(github(?:\.com)?|/v2/gh)(/|%2F){re.escape(old_owner)}(/|%2F){re.escape(old_name)}(?![\w.-])"
    return re.sub(address, rf"\g<1>\g<2>{owner}\g<3>{name}", text)


def with_launch_part(readme: str, repo: str | None) -> str:
    """Put the badge in place of the sentence, or the sentence in place of the badge."""
    if not LAUNCH.search(readme):
        raise ValueError(NO_PLACE.format(place="part between the two launch comments"))
    part = _links_to(repo) if repo else BEFORE
    return LAUNCH.sub(lambda _: part, readme)


def _links_to(repo: str) -> str:
    owner, name = repo.split("/")
    return AFTER.format(binder=binder_link(repo), repo=repo, owner=owner.lower(), name=name)


def with_launch_column(readme: str, repo: str | None) -> str:
    """Give the table of notebooks its column of launch links, or take the column away."""
    table = TABLE.search(readme)
    if not table:
        raise ValueError(NO_PLACE.format(place="table of notebooks"))
    lines = [launch_line(line, repo) for line in table[0].splitlines()]
    return readme[: table.start()] + "\n".join(lines) + "\n" + readme[table.end() :]


def launch_line(line: str, repo: str | None) -> str:
    """Return one line of the table with its launch link, or without."""
    cells = line.strip("|").split("|")[:COLUMNS]
    if repo:
        notebook = re.search(r"\((notebooks/[^)]*)\)", cells[0])
        rule = cells[0].startswith("-")
        cells.append(f" [Binder]({binder_link(repo, notebook[1])}) " if notebook else "---" if rule else " launch ")
    return f"|{'|'.join(cells)}|"


def main(given: str, root: Path = ROOT) -> str:
    """Write the address; return the sentence that says what was done."""
    changed = write(root, given)
    if not changed:
        return f"The address was https://github.com/{given} already. Nothing was changed."
    names = ", ".join(page.relative_to(root).as_posix() for page in changed)
    return f"The address is now https://github.com/{given}. Changed: {names}."


if __name__ == "__main__":
    try:
        print(main(" ".join(sys.argv[1:])))
    except ValueError as problem:
        sys.exit(str(problem))
