"""What an exercise is: one record holds its text, its code, its hidden cases and its known wrong answers."""

import ast
import inspect
import linecache
import textwrap
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Function = Callable[..., Any]
Arguments = tuple[Any, ...]


def direct(call: Function, *arguments: Any) -> Any:
    """Play an exercise in the usual way: call the function once."""
    return call(*arguments)


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
    play : callable
        How a case is played, for a function that is called several times.
    loops : int, optional
        Loops that the answer is asked to have, where that is the point; one with fewer (or, for 0, with any)
        passes with a remark.
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
    cases: Callable[[np.random.Generator], list[Arguments]]
    others: tuple[Function, ...]
    wrong: Mapping[str, Any]
    parts: tuple[str, ...] = ("answer",)
    play: Function = direct
    loops: int | None = None

    def reference(self) -> Function:
        """Return the solution as a function."""
        return compile_function(self.solution, self.name)

    def wrong_forms(self) -> list[tuple[str, Function]]:
        """Return (mistake, function) for every form of every mistake."""
        return [
            (mistake, form)
            for mistake, forms in self.wrong.items()
            for form in (forms if isinstance(forms, tuple) else (forms,))
        ]

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
    exec(compile(source, filename, "exec"), namespace)
    function: Function = namespace[name]
    return function


def count_loops(function: Function) -> int | None:
    """Count the loops written in a function, comprehensions too; None where its source cannot be read.

    Examples
    --------
    >>> count_loops(compile_function("def f(x):\\n    return [a for a in x]", "f"))
    1
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # typed in another way, or built in; half a line of a lambda
        return None
    return sum(isinstance(node, ast.For | ast.While | ast.comprehension) for node in ast.walk(tree))


def whole(rng: np.random.Generator, *shape: int) -> Any:
    """Draw whole numbers from -3 to 3 as floats: easy to check by hand."""
    return rng.integers(-3, 4, size=shape).astype(float)


def normal(rng: np.random.Generator, *shape: int) -> Any:
    """Draw standard normal numbers, rounded to two digits so that a case can be printed."""
    return rng.standard_normal(shape).round(2)
