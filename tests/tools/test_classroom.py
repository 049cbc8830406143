"""A class: passwords, wrong ones slowed, notebooks given out without touching work, names and limits. No hub needed."""

import asyncio
import os
import pwd
import stat
from pathlib import Path

import pytest
import yaml
from classroom import accounts, limits
from classroom.giving_out import COPIED, LINKED, give_out
from classroom.learner import _message
from classroom.passwords import LEAST, SIGNS, class_secret, is_password, password_of, passwords_of, sheet
from classroom.settings import LONGEST_FOLDER, read_settings
from classroom.slowing import FORGOTTEN, LONGEST, Gate, Patience

ROOT = Path(__file__).parents[2]
SECRET = "the secret of this class, of enough signs"

# Passwords


def test_each_name_has_a_password_of_its_own_that_stays_and_hangs_on_the_secret():
    found = passwords_of([f"learner{i:02}" for i in range(4)], SECRET)
    assert len(set(found.values())) == 4
    assert found["learner02"] == password_of("learner02", SECRET) != password_of("learner02", SECRET + ".")
    assert all(set(password) <= {*SIGNS, "-"} and len(password) == 14 for password in found.values())


def test_only_its_own_password_lets_a_name_in():
    known = passwords_of(["mira", "joon"], SECRET)
    assert is_password(known, "mira", known["mira"])
    assert is_password(known, "mira", f" {known['mira'].upper()} ")  # as a telephone writes it
    for name, typed in [("mira", known["joon"]), ("mira", ""), ("nobody", ""), ("nobody", known["mira"]), ("", "")]:
        assert not is_password(known, name, typed)


def test_a_secret_is_made_once_for_root_alone(tmp_path):
    kept = tmp_path / "secret"
    made = class_secret(kept, {})
    assert len(made) >= LEAST and class_secret(kept, {}) == made
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert class_secret(kept, {"CLASS_SECRET": SECRET}) == SECRET


def test_a_secret_that_learners_could_guess_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"has 5 signs; at least 20"):
        class_secret(tmp_path / "secret", {"CLASS_SECRET": "apple"})
    (tmp_path / "empty").touch()
    with pytest.raises(ValueError, match=r"has 0 signs"):
        class_secret(tmp_path / "empty", {})


def test_the_sheet_has_a_line_for_each():
    lines = sheet({"mira": "aaaa", "yu": "bbbb"}, "http://here:8000").splitlines()
    assert "http://here:8000" in lines[0] and lines[2:] == ["mira  aaaa", "yu    bbbb"]


# Wrong passwords


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_the_first_few_wrong_ones_cost_nothing_then_each_doubles_the_wait(clock):
    patience, waits = Patience(free=2, clock=clock), []
    for _ in range(10):
        patience.wrong("mira")
        waits.append(patience.left("mira"))
        clock.now += waits[-1]
    assert waits == [0, 0, 1, 2, 4, 8, 16, LONGEST, LONGEST, LONGEST]
    assert patience.left("mira") == 0  # nobody is locked out: after the wait the next try counts


def test_a_wait_is_of_one_name_at_one_address(clock):
    patience = Patience(free=0, clock=clock)
    patience.wrong(("mira", "10.0.0.1"))
    assert patience.left(("mira", "10.0.0.1")) == 1
    assert patience.left(("mira", "10.0.0.2")) == patience.left(("joon", "10.0.0.1")) == 0


def test_a_right_one_and_a_quarter_of_an_hour_make_all_forgotten(clock):
    patience = Patience(free=0, clock=clock)
    for _ in range(9):
        patience.wrong("mira"), patience.wrong("joon")
    patience.right("mira")
    assert patience.count("mira") == 0 and patience.left("joon") == LONGEST
    clock.now += FORGOTTEN + 1
    assert patience.count("joon") == patience.left("joon") == 0


def test_tries_of_many_addresses_do_not_fill_the_memory(clock, monkeypatch):
    monkeypatch.setattr("classroom.slowing.MOST_KEYS", 5)
    patience = Patience(clock=clock)
    for i in range(50):
        patience.wrong(i)
    assert len(patience._tries) == 5 and patience.count(49) == 1


def test_at_the_gate_one_comes_after_the_other_and_a_queue_is_short():
    async def play():
        gate, let_in = Gate(apart=0.001, waiting=2, together=3), []

        async def come(address):
            async with gate.pass_(address) as came:
                let_in.append((address, came))

        await asyncio.gather(*(come(address) for address in ["a", "a", "a", "b", "c"]))
        await come("a")  # once the queue is gone
        return let_in, gate._queue

    let_in, left = asyncio.run(asyncio.wait_for(play(), 10))
    assert sorted(let_in) == [("a", False), ("a", True), ("a", True), ("a", True), ("b", True), ("c", False)]
    assert not left


# Giving out


@pytest.fixture
def course(tmp_path):
    root = tmp_path / "course"
    for name in (
        "notebooks/01.ipynb",
        "notebooks/images/one.png",
        "README.md",
        "LICENSE",
        "data/x.json",
        "attention_lib/a.py",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"given {name}")
    (root / "notebooks" / "__pycache__").mkdir()
    (root / "notebooks" / "__pycache__" / "x.pyc").write_text("not this")
    return root


def test_a_first_time_everything_is_there_and_ones_own(course, tmp_path):
    home = tmp_path / "home" / "attention"
    assert {*give_out(course, home)} == {
        "README.md",
        "LICENSE",
        "notebooks/01.ipynb",
        "notebooks/images/one.png",
        *LINKED,
    }
    assert (home / "notebooks" / "01.ipynb").read_text() == "given notebooks/01.ipynb"
    assert not (home / "notebooks" / "01.ipynb").is_symlink() and os.access(home / "notebooks" / "01.ipynb", os.W_OK)
    assert (home / "data" / "x.json").read_text() == "given data/x.json"  # links out of a notebook lead somewhere
    assert {path.name for path in home.rglob("*")}.isdisjoint({"__pycache__", "x.pyc"})


def test_work_is_never_overwritten_and_what_is_new_is_added(course, tmp_path):
    home = tmp_path / "attention"
    give_out(course, home)
    (home / "notebooks" / "01.ipynb").write_text("my work")
    (course / "notebooks" / "01.ipynb").write_text("corrected")
    (course / "notebooks" / "02.ipynb").write_text("new")
    assert give_out(course, home) == ["notebooks/02.ipynb"]
    assert (home / "notebooks" / "01.ipynb").read_text() == "my work"
    assert (home / "fresh" / "01.ipynb").read_text() == "corrected"
    assert give_out(course, home) == []


def test_what_appears_in_that_very_moment_is_not_overwritten(course, tmp_path, monkeypatch):
    home = tmp_path / "attention"
    link = os.link

    def saved_just_now(source, place):
        Path(place).write_text("my work")
        link(source, place)

    monkeypatch.setattr("classroom.giving_out.os.link", saved_just_now)
    give_out(course, home)
    assert (home / "notebooks" / "01.ipynb").read_text() == "my work"
    assert not [path for path in home.rglob(".given*")]


def test_what_stands_in_the_way_stays_and_the_rest_is_given(course, tmp_path):
    home, elsewhere = tmp_path / "attention", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "README.md").symlink_to(elsewhere / "not-there")
    (home / "notebooks").write_text("a file of mine")
    assert {*give_out(course, home)} == {"LICENSE", *LINKED}
    assert (home / "notebooks").read_text() == "a file of mine"
    assert list(elsewhere.iterdir()) == []  # nothing was written through the link


def test_the_course_holds_what_is_given_out():
    from classroom.start import COURSE, ROOT

    assert {*COPIED, *LINKED.values()} <= set(COURSE)
    assert all((ROOT / name).exists() for name in COURSE)


# Settings, users, limits


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"CLASS_LEARNERS": "many"}, "CLASS_LEARNERS is 'many'"),
        ({"CLASS_PORT": "0"}, "at least 1"),
        ({"CLASS_MEMORY_MB": "20"}, "at least 256"),
        ({"CLASS_FOLDER": "here"}, "an absolute path"),
        ({"CLASS_FOLDER": "/" + "x" * LONGEST_FOLDER}, "at most 32 characters"),
        ({"CLASS_CERT": "/a/cert.pem"}, "belong together"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(variables, said):
    with pytest.raises(ValueError, match=said):
        read_settings(variables)


def test_names_come_from_a_file(tmp_path):
    file = tmp_path / "names.txt"
    file.write_text("# our class\nmira\n\n joon \n")
    assert read_settings({"CLASS_NAMES": str(file)}).names == ("mira", "joon")


@pytest.mark.parametrize("name", ["Mira", "mira k", "../mira", "-mira", "배", "m" * 21, "mira\nmira", "rø"])
def test_a_name_that_is_no_unix_name_or_stands_twice_is_refused(name, tmp_path):
    file = tmp_path / "names.txt"
    file.write_text(name)
    with pytest.raises(ValueError, match=r"cannot be a learner's name|stands twice"):
        read_settings({"CLASS_NAMES": str(file)})


def test_a_kernels_socket_fits_its_path():
    """The path of a socket has at most 107 bytes."""
    given = read_settings({"CLASS_FOLDER": "/" + "x" * (LONGEST_FOLDER - 1)})
    assert len(str(given.runtime / ("m" * 20) / f"kernel-{'0' * 36}-ipc-5")) <= 107


def test_a_user_of_the_machine_is_never_taken_for_a_learner(tmp_path):
    me = pwd.getpwuid(0).pw_name
    with pytest.raises(ValueError, match="not of this class"):
        accounts.account(me, tmp_path)
    assert accounts.account("nobody-has-this-name", tmp_path) is None


@pytest.mark.parametrize("version", [1, 2])
def test_a_learner_gets_a_group_with_its_limit(version, tmp_path):
    above = tmp_path if version == 2 else tmp_path / "memory"
    above.mkdir(exist_ok=True)
    (above / ("cgroup.controllers" if version == 2 else "memory.limit_in_bytes")).write_text("cpu memory")
    if version == 2:
        (above / "cgroup.subtree_control").write_text("")
    group = limits.make_group("mira", 512, tmp_path)
    assert group == above / "attention-class" / "mira"
    assert int((group / ("memory.max" if version == 2 else "memory.limit_in_bytes")).read_text()) == 512 * 2**20


def test_without_control_groups_there_is_none(tmp_path):
    assert limits.make_group("mira", 512, tmp_path) is None


def test_a_message_with_buffers_is_read_as_the_page_reads_it():
    parts = [b'{"msg_type": "comm_msg"}', b"one", b"", b"three"]
    ends = [4 * (len(parts) + 1)]
    for part in parts[:-1]:
        ends.append(ends[-1] + len(part))
    raw = b"".join(number.to_bytes(4, "big") for number in [len(parts), *ends]) + b"".join(parts)
    assert _message(raw) == {"msg_type": "comm_msg", "buffers": [b"one", b"", b"three"]}


def test_a_class_on_a_cluster_has_the_limits_of_one_on_a_machine():
    """The rest of these values is held to the chart's schema by hand; what that says stands in where_it_runs."""
    values = yaml.safe_load((ROOT / "tools" / "classroom" / "kubernetes" / "values.yaml").read_text())
    given = read_settings({})
    assert values["singleuser"]["memory"]["limit"] == f"{given.memory}M"
    assert values["cull"]["timeout"] == given.idle
    named = {path.name for path in map(Path, _mounted(values))}
    assert named == {"passwords.py", "slowing.py", "doors.py"}
    assert all((ROOT / "tools" / "classroom" / name).exists() for name in named)
    (script,) = (
        word for word in values["singleuser"]["lifecycleHooks"]["postStart"]["exec"]["command"] if "python3" in word
    )
    assert (ROOT / script.split()[1].removeprefix("/srv/attention/")).exists()


def _mounted(values):
    return [file["mountPath"] for file in values["hub"]["extraFiles"].values()]
