"""A view in a page of its own, without Jupyter; page and Python hear each other, and time passes, when a test
lets them."""

import base64
import json
from typing import Any

import anywidget
from harness import texts_of

PACE = 50  # ms, as in messenger.js

# The page's clock stands still until a test moves it: no pause of the hand, and nothing that a view does after one,
# hangs on how fast this machine is. Frames are drawn as ever.
CLOCK = """\
window.began = new Map(); // timers and frames that are still to come, by their name, with the time they are due
window.clock = { now: performance.now(), timers: 0, soon: setTimeout.bind(window) };
performance.now = () => clock.now;
window.setTimeout = (work, after = 0, ...given) => {
    began.set(`timer ${++clock.timers}`, { due: clock.now + after, work: () => work(...given) });
    return clock.timers;
};
window.clearTimeout = (id) => began.delete(`timer ${id}`);
{
    const [start, stop] = [requestAnimationFrame.bind(window), cancelAnimationFrame.bind(window)];
    window.requestAnimationFrame = (work) => {
        const id = start((time) => { began.delete(`frame ${id}`); work(time); });
        began.set(`frame ${id}`, { due: Infinity });
        return id;
    };
    window.cancelAnimationFrame = (id) => { began.delete(`frame ${id}`); stop(id); };
}
window.passes = (time) => {
    const end = clock.now + time;
    for (;;) {
        const [next] = [...began].filter(([, { due }]) => due <= end).sort(([, one], [, other]) => one.due - other.due);
        if (!next) break;
        began.delete(next[0]);
        clock.now = next[1].due;
        next[1].work();
    }
    clock.now = end;
};
"""
MODEL = """\
window.sent = [];
window.state = {};
window.heard = {}; // the same, as Python said it
window.handlers = {};
const read = (value) =>
    value && value.base64 !== undefined
        ? new DataView(Uint8Array.from(atob(value.base64), (letter) => letter.charCodeAt(0)).buffer)
        : value;
window.hear = (changes) => {
    if (changes.custom) {
        for (const handle of handlers["msg:custom"] ?? []) handle(changes.custom, changes.buffers.map(read));
        return;
    }
    const differs = ([name, value]) => JSON.stringify(value) !== JSON.stringify(heard[name]);
    const news = Object.entries(changes).filter(differs); // what is told again fires nothing, as in ipywidgets
    Object.assign(heard, changes);
    for (const [name, value] of news) state[name] = read(value);
    for (const [name] of news) for (const handle of handlers[`change:${name}`] ?? []) handle();
    if (news.length) for (const handle of handlers.change ?? []) handle();
};
window.model = {
    get: (name) => state[name],
    send: (content) => sent.push(structuredClone(content)),
    set: (name, value) => { state[name] = value; },
    save_changes: () => sent.push(structuredClone({ _hand: state._hand })),
    on: (name, handle) => (handlers[name] ??= new Set()).add(handle),
    off: (name, handle) => handlers[name]?.delete(handle),
};
"""
OPEN = """\
async ([source, changes]) => {
    hear(changes);
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const { default: view } = await import(url);
    window.draw = () => view.render({ model, el: document.body.appendChild(document.createElement("div")) });
    window.leave = draw();
}
"""


class LoneView:
    """Between a view and its page: messages go on where `python` and `page` are called, and not before."""

    def __init__(self, page: Any, view: anywidget.AnyWidget, before: str = "null") -> None:
        self.page, self.view = page, view
        self.answers: list[dict[str, Any]] = []  # what Python said, and the page has not heard
        view.send_state = self._keep  # type: ignore[method-assign]
        view.send = self._keep_message  # type: ignore[method-assign]
        page.goto("about:blank")
        page.evaluate(CLOCK)
        page.evaluate(MODEL)
        page.evaluate(before)
        page.add_style_tag(content=str(view._css))
        state = {name: value for name, value in view.get_state().items() if name.startswith("_") and name[1] != "e"}
        page.evaluate(OPEN, [str(view._esm), self._as_json(state)])

    def _keep(self, key: Any = None) -> None:
        names = [key] if isinstance(key, str) else list(key or [])
        if names:
            self.answers.append(self._as_json(self.view.get_state(names)))

    def _keep_message(self, content: Any, buffers: Any = None) -> None:
        packed = [{"base64": base64.b64encode(buffer).decode()} for buffer in buffers or []]
        self.answers.append({"custom": content, "buffers": packed})

    def _as_json(self, state: dict[str, Any]) -> dict[str, Any]:
        packed = {}
        for name, value in state.items():
            binary = isinstance(value, (bytes, memoryview))
            packed[name] = {"base64": base64.b64encode(value).decode()} if binary else json.loads(json.dumps(value))
        return packed

    def python(self) -> list[dict[str, Any]]:
        """Let Python hear what the page has sent, after its pause; return the messages."""
        self.passes(PACE)
        messages: list[dict[str, Any]] = []
        for message in self.page.evaluate("sent.splice(0)"):
            data = {"method": "custom", "content": message}
            if "_hand" in message:
                data = {"method": "update", "state": message, "buffer_paths": []}
            self.view._handle_msg({"content": {"data": data}, "buffers": []})
            messages += message["_hand"]["acts"][-1:] if "_hand" in message else [message]
        return messages

    def hear(self) -> None:
        self.page.evaluate("(changes) => hear(changes)", self.answers.pop(0))

    def hear_all(self) -> None:
        while self.answers:
            self.hear()

    def settle(self) -> None:
        """Let Python and page hear each other until neither says anything more."""
        while self.python() or self.answers:
            self.hear_all()
            self.frame()

    def frame(self) -> None:
        self.page.evaluate("new Promise((drawn) => requestAnimationFrame(() => clock.soon(drawn)))")

    def passes(self, time: float) -> None:
        """Let so many milliseconds pass in the page, and all that was to happen within them happen."""
        self.page.evaluate("(time) => passes(time)", time)

    def cell(self, panel: str, row: int, column: int) -> Any:
        line = self.page.locator(f'[data-panel="{panel}"] .av-grid > .av-line').nth(row + 1)
        return line.locator(".av-cell").nth(column)

    def press(self, panel: str, row: int, column: int, key: str) -> None:
        self.cell(panel, row, column).locator(".av-value").focus()
        self.page.keyboard.press(key)

    def middle(self, panel: str, row: int, column: int) -> tuple[float, float]:
        box = self.cell(panel, row, column).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def grab(self, panel: str, row: int, column: int) -> tuple[float, float]:
        """Press the mouse in the middle of a cell, and return where that is."""
        x, y = self.middle(panel, row, column)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        return x, y

    def texts(self, panel: str) -> list[list[str]]:
        return texts_of(self.page.locator(f'[data-panel="{panel}"]'))
