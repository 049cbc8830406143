"""Who comes in: the names of the class, each with its password, wrong ones slowed."""

import math
from typing import Any

from jupyterhub.auth import Authenticator
from tornado import web
from traitlets import Dict

from .passwords import is_password
from .slowing import FREE_TOGETHER, Gate, Patience

MESSAGES = {
    "wait": "Too many wrong passwords for this name. It can be tried again in {seconds} s.",
    "busy": "Many wrong passwords are being tried just now. Please try again in a few seconds.",
}


def address_of(request: Any) -> str:
    """Return who asks, as the proxy saw it: it adds to the end of this header what nobody outside can change.

    `request.remote_ip` would believe a header X-Real-Ip, which the proxy passes on as it came.
    """
    seen = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    return seen or str(request.remote_ip)


class ClassAuthenticator(Authenticator):
    """Lets in who knows the password of a name on the list; nobody can sign up."""

    passwords = Dict(help="name -> password").tag(config=True)

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.of_name, self.of_all, self.gate = Patience(), Patience(free=FREE_TOGETHER), Gate()

    async def authenticate(self, handler: Any, data: Any) -> str | None:
        """Return the name if the password is its own; None otherwise, and a sentence where one has to wait."""
        name, address = data.get("username", "").strip().lower(), address_of(handler.request)
        key = (name if name in self.passwords else None, address)  # all unknown names are one
        if left := self.of_name.left(key):
            raise web.HTTPError(429, MESSAGES["wait"].format(seconds=math.ceil(left)))
        if self.of_all.count("all") > self.of_all.free:
            async with self.gate.pass_(address) as let_in:
                if not let_in:
                    raise web.HTTPError(429, MESSAGES["busy"])
        if is_password(self.passwords, name, data.get("password", "")):
            self.of_name.right(key)
            return name
        self.of_name.wrong(key)
        self.of_all.wrong("all")
        return None
