"""What must fail: reaching another's files and server, getting in without a password of one's own, guessing one."""

import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import psutil
import requests
from requests.adapters import HTTPAdapter

from . import break_in
from .learner import Learner
from .slowing import FREE

ELSEWHERE = "127.0.0.2"  # another address of this machine, as that of another desk
BEYOND = 3  # wrong passwords more than the first few, which cost nothing


def inside(found: Any, player: Any, victim: Any, given: Any) -> None:
    """Try, from one learner's kernel, what unix users, sockets and tokens have to refuse."""
    source = Path(break_in.__file__).read_text()
    who = [_seen(one, given) for one in (player, victim)]
    asked = ", ".join(map(repr, [*who, str(given.folder), given.port]))
    outputs = player.kernel.run(f"{source}\nsay({asked})")
    own, others = json.loads("".join(output.get("text", "") for output in outputs))
    for what, came in own.items():
        found.held(f"works: {what}", came.startswith("got"), came)
    for what, came in others.items():
        found.held(f"refused: {what}", came.startswith("refused"), came)


def _seen(player: Any, given: Any) -> dict[str, Any]:
    """Return what any user of the machine can know of a learner's server."""
    from .trial import servers

    (pid,) = servers(given, player.learner.name)
    ports = [c.laddr.port for c in psutil.Process(pid).net_connections() if c.status == psutil.CONN_LISTEN]
    name = player.learner.name
    return {"name": name, "home": str(given.home(name)), "pid": pid, "port": ports[0], "kernel": player.kernel.id}


def outside(found: Any, me: Learner, other: Learner, hub: str) -> None:
    """Try, from a browser that is logged in as another, or as nobody, what the hub has to refuse."""
    token = me.web.post(
        f"{hub}/hub/api/users/{me.name}/tokens", headers=me._headers("/hub/"), json={"note": "mine"}, timeout=60
    ).json()["token"]
    mine = {"Authorization": f"token {token}"}
    for path in ("api/contents", "lab", "api/kernels", "files/LICENSE"):
        own, theirs = urljoin(me.home, path), urljoin(other.home, path)
        found.held(f"works: /user/me/{path}", got_in(me.web, own) and got_in(requests.Session(), own, mine), own)
        found.held(f"refused: /user/another/{path}, with one's own cookies", not got_in(me.web, theirs))
        found.held(f"refused: /user/another/{path}, with one's own token", not got_in(requests.Session(), theirs, mine))
        found.held(f"refused: /user/another/{path}, by nobody", not got_in(requests.Session(), theirs))
    in_address = f"{urljoin(other.home, 'api/contents')}?token={token}"
    found.held(
        "refused: another's server with one's own token in the address", not got_in(requests.Session(), in_address)
    )
    climbing = me.home + "api/contents/..%2F..%2F" + other.name + "%2Fattention%2FLICENSE"
    found.held("refused: a path that climbs out of one's own folder", not got_in(me.web, climbing))
    stop = me.web.delete(f"{hub}/hub/api/users/{other.name}/server", headers=me._headers("/hub/"), timeout=60)
    found.held("refused: to stop another's server", stop.status_code in (403, 404), stop.status_code)
    found.held("refused: the page of administrators", not got_in(me.web, f"{hub}/hub/admin"))


def got_in(web: requests.Session, url: str, headers: dict[str, str] | None = None) -> bool:
    """Say whether an address is answered with what it names, not with a refusal or the log-in page."""
    answer = web.get(url, headers=headers, timeout=60)
    sent_away = "/hub/" in answer.url and "/hub/" not in url
    return answer.status_code == 200 and not sent_away and "/hub/login" not in answer.url


def strangers(found: Any, hub: str) -> None:
    """Try to get in without being on the list."""
    for name in ("root", "nobody", "daemon", "mallory", "learner01x", "../learner01", ""):
        status = Learner(hub, name, "let me in").log_in()
        found.held(f"refused: {name!r}, who is not on the list", status in (403, 429), status)
    status = requests.get(f"{hub}/hub/signup", timeout=60).status_code
    found.held("there is no page to sign up", status in (403, 404), status)


def wrong_passwords(found: Any, hub: str, victim: Learner, other: Learner) -> None:
    """Guess at a learner's password; the learner, and the others, come in all the same."""
    start = time.perf_counter()
    statuses = [Learner(hub, victim.name, f"guess {i}").log_in() for i in range(FREE)]
    found.held(f"{FREE} wrong passwords are refused at once", set(statuses) == {403}, statuses)
    for i in range(BEYOND):
        guess = Learner(hub, victim.name, f"later guess {i}")
        while (status := guess.log_in()) == 429:
            time.sleep(0.1)
        found.held(
            f"wrong password {FREE + 1 + i} is refused, after {time.perf_counter() - start:.1f} s", status == 403
        )
    least = sum(2.0**i for i in range(BEYOND - 1))
    found.held(f"the last {BEYOND} took {least:.0f} s or more", time.perf_counter() - start >= least)
    guess = Learner(hub, victim.name, victim.password)
    guess.web.headers["X-Real-Ip"] = guess.web.headers["X-Forwarded-For"] = "192.0.2.7"
    found.held("who says to be elsewhere waits too", guess.log_in() == 429)
    found.held("and is told how long", "can be tried again in" in guess.said)
    elsewhere = Learner(hub, victim.name, victim.password)
    elsewhere.web.mount("http://", From(ELSEWHERE))
    found.held("from another desk the learner comes in at once", elsewhere.log_in() == 302)
    found.held("the others come in at once", Learner(hub, other.name, other.password).log_in() == 302)
    end = time.monotonic() + 60
    owner = Learner(hub, victim.name, victim.password)
    while (status := owner.log_in()) == 429 and time.monotonic() < end:
        time.sleep(0.1)
    found.held(
        f"at the same desk too, {time.perf_counter() - start:.1f} s after the first guess", status == 302, status
    )


class From(HTTPAdapter):
    """Connections from one address of this machine."""

    def __init__(self, address: str) -> None:
        self.address = address
        super().__init__()

    def init_poolmanager(self, *given: Any, **named: Any) -> None:
        """Open connections from the address."""
        super().init_poolmanager(*given, source_address=(self.address, 0), **named)
