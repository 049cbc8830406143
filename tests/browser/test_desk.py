"""The desk that other tests get their notebooks from."""

from typing import Any

import pytest


@pytest.mark.parametrize(("way", "given"), [("__call__", {}), ("look_at", {}), ("again", {"only": "1"})])
def test_a_page_is_handed_out_before_all_others(
    way: str, given: dict[str, str], open_notebook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind another it is drawn once a second, soon or late: fourteen tests took 340 s and did nothing."""
    page = open_notebook("1").page
    asked = []
    monkeypatch.setattr(page, "bring_to_front", lambda: asked.append(way))
    getattr(open_notebook, way)("1", **given)
    assert asked
