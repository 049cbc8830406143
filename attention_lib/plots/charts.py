"""Lines, bars, histograms, tables of categories."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import ListedColormap
from numpy.typing import ArrayLike

from .lettering import wrapped
from .picture import COLOURS, HATCHES, LINE_STYLES, MARKERS, Picture, as_sentence, hangul_fonts, name_axes, new_picture


def lines(
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    spread: Mapping[str, ArrayLike] | None = None,
    description: str | None = None,
) -> Picture:
    """Draw curves that differ in dash and marker as well as in colour.

    Parameters
    ----------
    x : (n,) array_like
    curves : mapping of str to (n,) array_like
        Name in the legend, and heights.
    title, x_label, y_label : str
        What to see; what the axes are, with units.
    log_x, log_y : bool, optional
        Logarithmic axes.
    spread : mapping of str to (n,) array_like, optional
        Half-length of an error bar for the curves named.
    description : str, optional
        The picture in words. Default: first and last value of each curve.

    Returns
    -------
    Picture
    """
    x = np.asarray(x)
    with hangul_fonts():
        picture = new_picture((6.4, 3.8))
        axes = picture.add_subplot()
        for i, (name, y) in enumerate(curves.items()):
            look: dict[str, Any] = {
                "color": COLOURS[i % len(COLOURS)],
                "linestyle": LINE_STYLES[i % len(LINE_STYLES)],
                "marker": MARKERS[i % len(MARKERS)],
                "markersize": 4,
                "markevery": max(1, len(x) // 12),
                "label": name,
            }
            if spread is not None and name in spread:
                axes.errorbar(x, y, yerr=spread[name], capsize=3, **look)
            else:
                axes.plot(x, y, **look)
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if log_y else "linear")
        name_axes(axes, title, x_label, y_label)
        if len(curves) > 1:
            axes.legend(frameon=False)
    ends = (
        f"{n}: {np.asarray(y)[0]:.3g} at {x[0]:g}, {np.asarray(y)[-1]:.3g} at {x[-1]:g}." for n, y in curves.items()
    )
    picture.description = description or " ".join([as_sentence(title), *ends])
    return picture


def bars(
    labels: Sequence[str],
    groups: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    y_label: str,
    digits: int = 2,
    description: str | None = None,
) -> Picture:
    """Draw bars, one group of them for each label; groups differ in hatching too.

    Parameters
    ----------
    labels : sequence of str
        Under the bars: tokens, say.
    groups : mapping of str to (n,) array_like
        Name in the legend, and heights.
    title, x_label, y_label : str
        What to see; what the axes are, with units.
    digits : int, optional
        Decimals shown above the bars.
    description : str, optional
        The picture in words. Default: every value.

    Returns
    -------
    Picture
    """
    width = 0.8 / len(groups)
    inches = max(4.0, 0.8 * len(labels) * max(1.0, len(groups) / 2) + 1.0)
    title_lines = wrapped(title, inches)
    with hangul_fonts():
        picture = new_picture((inches, 3.4 + 0.2 * title_lines.count("\n")))
        axes = picture.add_subplot()
        for i, (name, heights) in enumerate(groups.items()):
            place = np.arange(len(labels)) + (i - (len(groups) - 1) / 2) * width
            drawn = axes.bar(
                place,
                np.asarray(heights),
                width,
                label=name,
                color=COLOURS[i % len(COLOURS)],
                edgecolor="white",
                hatch=HATCHES[i % len(HATCHES)],
            )
            axes.bar_label(drawn, fmt=f"%.{digits}f", fontsize=8, padding=2)
        axes.set_xticks(np.arange(len(labels)), labels)
        axes.margins(y=0.15)
        name_axes(axes, title_lines, x_label, y_label)
        if len(groups) > 1:
            axes.legend(frameon=False)
    said = (
        f"{name}: "
        + ", ".join(f"{label} {value:.{digits}f}" for label, value in zip(labels, np.asarray(heights)))
        + "."
        for name, heights in groups.items()
    )
    picture.description = description or " ".join([as_sentence(title), *said])
    return picture


def histogram(
    samples: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    bins: ArrayLike | int = 40,
    description: str | None = None,
) -> Picture:
    """Draw how samples spread: outlines that differ in dash, one for each name.

    Parameters
    ----------
    samples : mapping of str to array_like
        Name in the legend, and numbers.
    title, x_label : str
        What to see; what the numbers are, with units.
    bins : int or (n,) array_like, optional
        Number of bins over the whole range, or their edges.
    description : str, optional
        The picture in words. Default: mean and standard deviation of each.

    Returns
    -------
    Picture
    """
    arrays = {name: np.asarray(values, float).ravel() for name, values in samples.items()}
    edges = np.histogram_bin_edges(np.concatenate(list(arrays.values())), bins).tolist()
    with hangul_fonts():
        picture = new_picture((6.4, 3.4))
        axes = picture.add_subplot()
        for i, (name, values) in enumerate(arrays.items()):
            axes.hist(
                values,
                edges,
                histtype="step",
                linewidth=1.8,
                density=True,
                label=name,
                color=COLOURS[i % len(COLOURS)],
                linestyle=LINE_STYLES[i % 4],
            )
        name_axes(axes, title, x_label, "share per unit")
        if len(arrays) > 1:
            axes.legend(frameon=False)
    said = (f"{name}: mean {v.mean():.2f}, standard deviation {v.std():.2f}." for name, v in arrays.items())
    picture.description = description or " ".join([as_sentence(title), *said])
    return picture


def categories(
    panels: Mapping[str, ArrayLike],
    rows: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    *,
    names: Sequence[str],
    symbols: Sequence[str],
    colours: Sequence[str],
    title: str,
    row_axis: str = "query",
    column_axis: str = "key",
) -> Picture:
    """Draw matrices whose cells are kinds, not numbers: a letter and a colour for each.

    Parameters
    ----------
    panels : mapping of str to (n_rows, n_columns) array_like of int
        Title of each panel, and the kind of each cell.
    rows : sequence of str
        Labels of the rows, shared.
    columns : mapping of str to sequence of str
        Labels of the columns of each panel.
    names, symbols, colours : sequence of str
        Word, letter and colour of each kind.
    title : str
        What to see.
    row_axis, column_axis : str, optional
        What rows and columns are.

    Returns
    -------
    Picture
    """
    arrays = {name: np.asarray(kinds) for name, kinds in panels.items()}
    widths = [0.55 * array.shape[1] + 1.2 for array in arrays.values()]
    with hangul_fonts():
        picture = new_picture((sum(widths), 0.42 * len(rows) + 1.9))
        grid = picture.add_gridspec(1, len(arrays), width_ratios=widths, wspace=0.08)
        for i, (name, array) in enumerate(arrays.items()):
            axes = picture.add_subplot(grid[i])
            axes.imshow(array, cmap=ListedColormap(list(colours)), vmin=-0.5, vmax=len(colours) - 0.5, aspect="auto")
            for row, column in np.ndindex(array.shape):
                axes.text(column, row, symbols[int(array[row, column])], ha="center", va="center", fontsize=10)
            axes.set_xticks(range(array.shape[1]), columns[name], fontsize=9)
            axes.set_yticks(range(len(rows)), rows if i == 0 else [""] * len(rows), fontsize=9)
            axes.set_xticks(np.arange(array.shape[1] - 1) + 0.5, minor=True)
            axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
            axes.grid(which="minor", color="white", linewidth=2)
            axes.tick_params(which="both", length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
            axes.spines[:].set_visible(False)
            axes.set_title(name, fontsize=11, pad=8)
            axes.set_ylabel(row_axis if i == 0 else "")
            axes.set_xlabel(column_axis if i else "")
        picture.suptitle(title, fontsize=12)
        used = sorted(set(np.concatenate([array.ravel() for array in arrays.values()]).tolist()))
        key = "   ".join(f"{symbols[kind]}  {names[kind]}" for kind in used)
        picture.supxlabel(key, fontsize=9)
    counts = (
        f"{name}: " + ", ".join(f"{int((array == kind).sum())} {names[kind]}" for kind in used) + "."
        for name, array in arrays.items()
    )
    picture.description = " ".join([as_sentence(title), *counts])
    return picture


def checklist(
    marks: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    row_axis: str,
    column_axis: str,
    mark: str,
) -> Picture:
    """Draw a table of yes and no: a cross and a darker cell for yes.

    Parameters
    ----------
    marks : (n_rows, n_columns) array_like of bool
    rows, columns : sequence of str
        Labels; a column's may have several lines.
    title : str
        What to see.
    row_axis, column_axis : str
        What rows and columns are.
    mark : str
        What a cross says, as "catches it".

    Returns
    -------
    Picture
    """
    yes = np.asarray(marks, dtype=bool)
    with hangul_fonts():
        picture = new_picture((0.085 * max(map(len, rows)) + 0.75 * len(columns) + 0.6, 0.3 * len(rows) + 1.6))
        axes = picture.add_subplot()
        axes.imshow(yes, cmap=ListedColormap(["#f2f2f2", "#56b4e9"]), vmin=0, vmax=1, aspect="auto")
        for row, column in np.argwhere(yes):
            axes.text(column, row, "x", ha="center", va="center", fontsize=10)
        axes.set_xticks(range(len(columns)), columns, fontsize=9)
        axes.set_yticks(range(len(rows)), rows, fontsize=9)
        axes.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
        axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
        axes.grid(which="minor", color="white", linewidth=2)
        axes.tick_params(which="both", length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
        axes.set(ylabel=row_axis, xlabel=f"{column_axis}   (x = {mark})")
        picture.suptitle(title, fontsize=12)
    crossed = (
        f"{row}: {', '.join(' '.join(column.split()) for column, crossed in zip(columns, line) if crossed) or 'none'}."
        for row, line in zip(rows, yes)
    )
    picture.description = " ".join([as_sentence(title), *crossed])
    return picture
