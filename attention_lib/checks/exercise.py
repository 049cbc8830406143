"""An exercise is one record: its text, its code, its hidden cases, and at most two mistakes of its own."""

import functools
import inspect
import linecache
import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._words import _

Function = Callable[..., Any]
Arguments = tuple[Any, ...]
Cases = Callable[[np.random.Generator], list[Arguments]]
Changes = Mapping[str, str]  # pieces of the solution -> what stands in their place


class Case(NamedTuple):
    """What the function is given, and whether it is an extreme case, with huge numbers."""

    arguments: Arguments
    hard: bool = False


class Subject:
    """A function that a learner's test is given, and what is wrong with it; "" where it is right."""

    def __init__(self, function: Function, fault: str = "") -> None:
        self.function, self.fault = function, fault

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.function(*arguments, **options)

    def __repr__(self) -> str:
        return _("a wrong function: {fault}").format(fault=_(self.fault)) if self.fault else _("a correct function")


@dataclass(frozen=True, eq=False, kw_only=True)
class Exercise:
    """One exercise of a notebook, complete. The texts are Markdown; code is source text.

    It is named like the variable that holds it. The stub follows from the solution: it is the first line, and what the
    last line says about the result, or the solution with the bug.
    """

    name: str = ""  # of the function to write; differs from every library name
    title: str
    difficulty: int  # 1 (one line) to 3 (real work)
    minutes: int  # that a first try takes
    task: str  # what to do
    solution: str
    bug: Changes = field(default_factory=dict)  # to be found
    stub: str = ""  # where it does not follow from the solution
    hints: tuple[str, str]  # the second says more than the first
    why: str  # what the solution teaches
    cases: Cases = lambda rng: []  # the arguments of each hidden case, smallest first
    hard: Cases = lambda rng: []  # of extreme cases
    parts: tuple[str, ...] = ("answer",)  # what the function returns, by name; more than one means a tuple
    #: What a learner reads -> a mix-up of ideas that no small change of the code describes; at most two.
    mistakes: Mapping[str, Changes] = field(default_factory=dict)
    accepts: tuple[Function, ...] = ()  # right functions, where the answer is a test of functions
    refuses: Mapping[str, Function] = field(default_factory=dict)  # and wrong ones, by what is wrong with them
    notebook: str = ""  # file name without ending, as "01_self_attention"; the registry fills it in

    def __post_init__(self) -> None:
        if not self.stub:
            object.__setattr__(self, "stub", self.changed(self.bug) if self.bug else _stub_code(self.solution))

    def changed(self, changes: Changes) -> str:
        """Return the solution with other pieces in the place of some."""
        source = self.solution
        for piece, other in changes.items():
            if piece not in source:
                raise ValueError(f"{piece!r} does not stand in the solution of {self.name}")
            source = source.replace(piece, other)
        return source

    @property
    def has_bug(self) -> bool:
        """Whether the stub runs and is wrong."""
        return "..." not in self.stub

    @property
    def is_test(self) -> bool:
        return bool(self.accepts)

    def draw(self, rng: np.random.Generator) -> list[Case]:
        """Draw all cases, the extreme ones last; a test is given functions, which are always the same."""
        if self.is_test:
            subjects = [*map(Subject, self.accepts), *(Subject(self.refuses[fault], fault) for fault in self.refuses)]
            return [Case((subject,)) for subject in subjects]
        ordinary = [Case(arguments) for arguments in self.cases(rng)]
        return ordinary + [Case(arguments, hard=True) for arguments in self.hard(rng)]

    @functools.cache  # noqa: B019  (a few dozen records, which live as long as the kernel)
    def reference(self) -> Function:
        return compile_function(self.solution, self.name)

    @functools.cache  # noqa: B019
    def argument_names(self) -> list[str]:
        return list(inspect.signature(self.reference()).parameters)


def _stub_code(solution: str) -> str:
    """Return the first line of a function, and of its last one what is said about the result."""
    first, *_between, last = solution.strip().splitlines()
    _code, mark, said = last.partition("  #")
    return f"\n{first}\n    return ...{mark}{said}\n"


def compile_function(source: str, name: str) -> Function:
    """Run source text that defines the function `name` and return it; it knows `np` and `math`."""
    filename = f"<exercise {name} {zlib.crc32(source.encode()):08x}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"np": np, "math": math}
    exec(compile(source, filename, "exec"), namespace)
    function: Function = namespace[name]
    return function


def whole(rng: np.random.Generator, *shape: int) -> Any:
    """Draw whole numbers from -3 to 3 as floats: easy to check by hand."""
    return rng.integers(-3, 4, size=shape).astype(float)


def normal(rng: np.random.Generator, *shape: int) -> Any:
    """Draw standard normal numbers, rounded to two digits so that a case can be printed."""
    return rng.standard_normal(shape).round(2)


def quarters(rng: np.random.Generator, *shape: int) -> Any:
    """Draw multiples of 1/4 from -3 to 3: beside a large number, float32 still holds them."""
    return rng.integers(-12, 13, size=shape) / 4


def shares(rng: np.random.Generator, *shape: int) -> Any:
    """Draw weights: positive, not rounded, each row sums to 1."""
    exps = np.exp(rng.standard_normal(shape))
    return exps / exps.sum(axis=-1, keepdims=True)
