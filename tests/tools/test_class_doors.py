"""The doors of a class: who comes in, on one machine and on a cluster.

Where jupyterhub is not installed, its base class of authenticators has a stand-in. With the real
one, and a real hub, `make classcheck` tries all of it.
"""

import asyncio
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import yaml
from traitlets.config import Config, LoggingConfigurable

ROOT = Path(__file__).parents[2]
SECRET = "the secret of this class, of enough signs"


@pytest.fixture
def doors(monkeypatch):
    """The module, on the real base class or on its stand-in."""
    if find_spec("jupyterhub") is None:
        auth = ModuleType("jupyterhub.auth")
        auth.Authenticator = LoggingConfigurable
        monkeypatch.setitem(sys.modules, "jupyterhub", ModuleType("jupyterhub"))
        monkeypatch.setitem(sys.modules, "jupyterhub.auth", auth)
    from classroom import doors

    return doors


def handler(seen="10.0.0.1", **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return SimpleNamespace(request=SimpleNamespace(headers={"X-Forwarded-For": seen, **headers}, remote_ip="127.0.0.1"))


def come(authenticator, name, password, by=None):
    """Return the name that was let in, None, or the status of a refusal."""
    from tornado.web import HTTPError

    try:
        typed = {"username": name, "password": password}
        return asyncio.run(authenticator.authenticate(by or handler(), typed))
    except HTTPError as problem:
        return problem.status_code


def test_the_right_password_lets_in_and_wrong_ones_are_slowed_for_that_name_there(doors):
    one = doors.ClassAuthenticator(passwords={"mira": "aaaa", "joon": "bbbb"})
    assert come(one, " Mira ", "aaaa ") == "mira" and come(one, "mira", "bbbb") is None
    assert [come(one, "joon", "no") for _ in range(7)] == [None] * 6 + [429]
    assert come(one, "joon", "bbbb") == 429  # not looked at while there is a wait
    assert come(one, "joon", "bbbb", handler("10.0.0.2")) == "joon"
    assert come(one, "mira", "aaaa") == "mira"


def test_names_that_are_not_on_the_list_are_one_to_the_slowing(doors):
    one = doors.ClassAuthenticator(passwords={"mira": "aaaa"})
    assert [come(one, f"guess{i}", "") for i in range(7)] == [None] * 6 + [429]


def test_an_address_is_what_the_proxy_saw_not_what_was_claimed(doors):
    claimed = handler("192.0.2.7, 10.0.0.1", X_Real_Ip="192.0.2.8")
    assert doors.address_of(claimed.request) == "10.0.0.1"
    assert doors.address_of(SimpleNamespace(headers={}, remote_ip="127.0.0.1")) == "127.0.0.1"


def test_after_many_wrong_ones_of_all_a_right_one_still_comes_in(doors):
    one = doors.ClassAuthenticator(passwords={"mira": "aaaa"})
    for _ in range(doors.FREE_TOGETHER + 1):
        one.of_all.wrong("all")
    one.gate = doors.Gate(apart=0.001)
    assert come(one, "mira", "aaaa") == "mira"
    one.gate.waiting = 0
    assert come(one, "mira", "aaaa") == 429


def test_the_class_on_a_cluster_has_the_same_doors(doors, monkeypatch):
    values = yaml.safe_load((ROOT / "tools" / "classroom" / "kubernetes" / "values.yaml").read_text())
    c = Config({"Authenticator": values["hub"]["config"]["Authenticator"]})
    monkeypatch.setenv("CLASS_SECRET", SECRET)
    exec(values["hub"]["extraConfig"]["class"], {"c": c})
    assert c.JupyterHub.authenticator_class is doors.ClassAuthenticator
    assert set(c.ClassAuthenticator.passwords) == {"learner01", "learner02"}
