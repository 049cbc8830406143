"""A password for each name, all from one secret of the class: nothing to store, nothing to hand in.

One password for all would let anybody be anybody. Here a learner's password says nothing about
another's: to get from it to the secret means guessing the secret, each guess taking a tenth of
a second of work, and the secret is long.
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path

SIGNS = "abcdefghjkmnpqrstuvwxyz23456789"  # no i, l, o, 0, 1: read aloud and typed without a mistake
GROUPS, GROUP = 3, 4  # abcd-efgh-jkmn: 31 ** 12, about 59 bits
LEAST = 20  # signs of a secret
WORK = {"n": 2**14, "r": 8, "p": 1, "maxmem": 2**26}  # of scrypt

MESSAGES = {
    "short": "The secret (CLASS_SECRET) has {n} signs; at least {least} are needed, or learners could guess it.",
    "sheet": "Names and passwords of the class at {address}",
}


def password_of(name: str, secret: str) -> str:
    """Return the password of a name, the same at every start of a class with this secret.

    Examples
    --------
    >>> password_of("mira", "a secret of this class") == password_of("mira", "a secret of this class")
    True
    >>> password_of("mira", "a secret of this class") == password_of("joon", "a secret of this class")
    False
    """
    drawn = hashlib.scrypt(secret.encode(), salt=f"attention class, {name}".encode(), dklen=64, **WORK)
    number, signs = int.from_bytes(drawn, "big"), ""
    for _ in range(GROUPS * GROUP):
        number, place = divmod(number, len(SIGNS))
        signs += SIGNS[place]
    return "-".join(signs[i : i + GROUP] for i in range(0, len(signs), GROUP))


def class_secret(kept: Path, environment: Mapping[str, str] = os.environ) -> str:
    """Return the secret of the environment; without one that of the file `kept`, which is made the first time.

    Raises
    ------
    ValueError
        If it is short enough to be guessed.
    """
    secret = environment.get("CLASS_SECRET", "")
    if not secret:
        if not kept.exists():
            write_for_root(kept, secrets.token_urlsafe(32) + "\n")
        secret = kept.read_text().strip()
    if len(secret) < LEAST:
        raise ValueError(MESSAGES["short"].format(n=len(secret), least=LEAST))
    return secret


def write_for_root(path: Path, text: str) -> None:
    """Write a file that nobody else can read, from its first byte on."""
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)


def sheet(passwords: Mapping[str, str], address: str) -> str:
    """Return what is printed and cut into strips."""
    width = max(map(len, passwords), default=0)
    lines = [f"{name:{width}}  {password}" for name, password in passwords.items()]
    return "\n".join([MESSAGES["sheet"].format(address=address), "", *lines, ""])


def passwords_of(names: Iterable[str], secret: str) -> dict[str, str]:
    """Return the password of each name."""
    return {name: password_of(name, secret) for name in names}


def is_password(known: Mapping[str, str], name: str, typed: str) -> bool:
    """Say whether this is the password of this name, in a time that tells nothing.

    Capitals and spaces around it are forgiven: they are what a telephone adds.
    """
    right = known.get(name, "")
    return hmac.compare_digest(typed.strip().lower().encode(), right.encode()) and bool(right)
