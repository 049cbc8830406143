"""What an exercise is: one record holds its text, its code, its hidden cases and its known wrong answers."""

import copy
import functools
import inspect
import linecache
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Function = Callable[..., Any]
Arguments = tuple[Any, ...]


def direct(call: Function, *arguments: Any) -> Any:
    """Play an exercise in the usual way: call the function once."""
    return call(*arguments)


class Blank(NamedTuple):
    """One thing to fill in: a shape, a number or a word.

    `wrong` has a sentence for each answer that is given for a reason, `hint` one for any other. `follows` is the name
    of another blank from which this one comes, with axes more in front.
    """

    right: Any
    wrong: Mapping[Any, str] = MappingProxyType({})
    hint: str = ""
    follows: str = ""


class Case(NamedTuple):
    """What the function is given, and whether it lies at the edge of what it must bear."""

    arguments: Arguments
    hard: bool = False


#: The two sides of a product: each as it is written, and its shape.
Operands = tuple[tuple[str, tuple[int, ...]], tuple[str, tuple[int, ...]]]


class Seen(NamedTuple):
    """One case as a rule sees it: the arguments by name, what came of it and what was needed, part by part.

    `found` is () where no numbers came; `pieces` are the things of a tuple that came in place of one array,
    `error` the text of an error, `operands` what met in a product that did not fit.
    """

    arguments: Mapping[str, Any]
    found: tuple[NDArray[Any], ...]
    needed: tuple[NDArray[Any], ...]
    right: bool
    pieces: tuple[NDArray[Any], ...] = ()
    error: str = ""
    operands: "Operands | None" = None


class Finding(NamedTuple):
    """A mistake by name, and what its sentence is filled with.

    `also` has more to say of the same answer, in sentences without a title.
    """

    mistake: str
    values: Mapping[str, Any] = MappingProxyType({})
    also: "tuple[Finding, ...]" = ()


Rule = Callable[[Sequence[Seen]], Finding | None]


class Relation(NamedTuple):
    """What must hold between two answers: `change` makes other arguments, `expect` says what must come of them.

    `change` may return None where it cannot change a case; `expect` takes the parts of the first answer.
    """

    mistake: str
    change: Callable[..., Arguments | None]
    expect: Callable[..., tuple[Any, ...]]
    must_differ: bool = False  # whether it is a mistake that the expected comes


def no_cases(rng: np.random.Generator) -> list[Arguments]:
    """Give none: blanks have no cases."""
    return []


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise of a notebook, complete.

    Attributes
    ----------
    name : str
        Also the name of the function to write. Differs from every library name.
    notebook : str
        File name without ending, as "01_self_attention".
    title, spec, why : str
        Markdown: heading, what the function must do, what the solution teaches.
    difficulty : int
        1 (fill one line) to 3 (real work).
    minutes : int
        How long a first try takes.
    stub, solution : str
        Source text. The stub runs and returns `...`; the solution needs only `np`.
    hints : (str, str)
        Markdown; the second says more than the first.
    cases : callable
        A random generator -> the arguments of each hidden case, smallest first.
    others : tuple of callables
        Other correct ways of writing it; the suite checks that they pass.
    wrong : dict of str to callable, or to a tuple of them
        Name of the mistake (see `mistakes.py`) -> the function with that mistake, in each form it is met in.
    parts : tuple of str
        What the function returns, by name; more than one means a tuple.
    counts : int
        How many of the last parts only count something: looked at where all the others are right.
    counted_too_often : str, optional
        With `counts`: the mistake where nothing but what is counted differs.
    play : callable
        How a case is played, for a function that is called several times.
    loops : int, optional
        Loops that the answer is asked to have, where that is the point: 0 or 2. One with others passes with a remark.
    looped_over : str
        With `loops` 0: what must not be looped over, in words.
    grown : callable, optional
        n -> arguments of that size, to see whether an answer loops; with `loops`.
    hard : callable, optional
        A random generator -> cases at the edge (numbers up to 1e150, rows far apart): an answer that is right in
        all others is told by these what it lacks. Nothing else is named by them.
    integers : bool
        Whether arrays of int may come in place of floats: two such cases stand among those at the edge.
    rules : tuple of Rule
        Diagnosis by rule, tried after the known wrong answers and before the rules for every exercise.
    keeps : Keeps, optional
        What the right answer keeps, asked of an answer that nothing else names (see `rules_by_running`).
    relations : tuple of Relation
        What must hold between the answers to two cases, asked of an answer that nothing else names.
    hand : callable, optional
        With `play`: arguments of a case -> what the function itself is given, to show a failing case.
    whole_numbers : bool
        Whether the answer must be of whole numbers, as positions are.
    has_bug : bool
        Whether the stub is a function that runs and is wrong: the exercise is to find the bug.
    may_return_none : bool
        Whether None is an answer, as of a test that holds `assert` lines.
    promises : dict of str to str
        Of a test to write that asks for several things: mistake -> the one that it breaks, in words.
    blanks : dict of str to Blank, optional
        What is to be filled in, where the answer is a dictionary and no function; the stub shows it with `...`.
    """

    name: str
    notebook: str
    title: str
    difficulty: int
    minutes: int
    spec: str
    stub: str
    solution: str
    hints: tuple[str, str]
    why: str
    cases: Callable[[np.random.Generator], list[Arguments]] = no_cases
    others: tuple[Function, ...] = ()
    wrong: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[str, ...] = ("answer",)
    counts: int = 0
    counted_too_often: str | None = None
    play: Function = direct
    loops: int | None = None
    looped_over: str = "rows"
    grown: Callable[[int], Arguments] | None = None
    hard: Callable[[np.random.Generator], list[Arguments]] | None = None
    integers: bool = False
    rules: tuple[Rule, ...] = ()
    keeps: Any = None  # a Keeps, whose module knows this one
    relations: tuple[Relation, ...] = ()
    hand: Callable[..., Arguments] | None = None
    whole_numbers: bool = False
    has_bug: bool = False
    may_return_none: bool = False
    promises: Mapping[str, str] = field(default_factory=dict)
    blanks: Mapping[str, Blank] | None = None

    def draw(self, rng: np.random.Generator) -> list[Case]:
        """Return the cases, those at the edge last."""
        ordinary = self.cases(rng)
        edge = self.hard(rng) if self.hard else []
        edge = edge + ([of_integers(ordinary[i]) for i in (1, -1)] if self.integers else [])
        return [Case(arguments) for arguments in ordinary] + [Case(arguments, hard=True) for arguments in edge]

    @functools.cache  # noqa: B019  (a few dozen records, which live as long as the kernel)
    def reference(self) -> Function:
        """Return the solution as a function (of blanks: as a dictionary)."""
        return compile_function(self.solution, self.name)

    def wrong_forms(self) -> list[tuple[str, Function]]:
        """Return (mistake, function) for every form of every mistake."""
        return [
            (mistake, form)
            for mistake, forms in self.wrong.items()
            for form in (forms if isinstance(forms, tuple) else (forms,))
        ]

    def handed(self, arguments: Arguments) -> Arguments:
        """Return what the function itself is given in a case, in a copy."""
        arguments = copy.deepcopy(arguments)
        return self.hand(*arguments) if self.hand else arguments

    @functools.cache  # noqa: B019
    def argument_names(self) -> list[str]:
        """Return the names of a case's arguments."""
        if self.play is direct:
            return list(inspect.signature(self.reference()).parameters)
        return list(inspect.signature(self.play).parameters)[1:]


def compile_function(source: str, name: str) -> Function:
    """Run source text that defines the function `name` and return it."""
    filename = f"<exercise {name} {zlib.crc32(source.encode()):08x}>"  # its own, so that another answer keeps its lines
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"np": np}
    exec(_compiled(source, filename), namespace)
    function: Function = namespace[name]
    return function


@functools.lru_cache(maxsize=64)  # a stub with a bug is asked for at every check
def _compiled(source: str, filename: str) -> CodeType:
    return compile(source, filename, "exec")


def of_integers(arguments: Arguments) -> Arguments:
    """Return arguments whose arrays of floats, but for shares, are of int: doubled, so that few become 0."""

    def is_free(each: Any) -> bool:
        is_float = isinstance(each, np.ndarray) and each.dtype.kind == "f"
        return is_float and not (each.size and (each >= 0).all() and np.allclose(each.sum(axis=-1), 1))

    return tuple(np.rint(2 * each).astype(int) if is_free(each) else each for each in arguments)


def whole(rng: np.random.Generator, *shape: int) -> Any:
    """Draw whole numbers from -3 to 3 as floats: easy to check by hand."""
    return rng.integers(-3, 4, size=shape).astype(float)


def normal(rng: np.random.Generator, *shape: int) -> Any:
    """Draw standard normal numbers, rounded to two digits so that a case can be printed."""
    return rng.standard_normal(shape).round(2)


def quarters(rng: np.random.Generator, *shape: int) -> Any:
    """Draw multiples of 1/4 from -3 to 3: beside a large number, float32 still holds them."""
    return rng.integers(-12, 13, size=shape) / 4


def shares(rng: np.random.Generator, *shape: int, spread: float = 1.0) -> Any:
    """Draw weights: positive, not rounded, each row sums to 1."""
    exps = np.exp(spread * rng.standard_normal(shape))
    return exps / exps.sum(axis=-1, keepdims=True)
