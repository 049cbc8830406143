// Put into the page by bench_live.py: notes when the hand acted, and each new picture when it was painted.
{
  const EDITED = "W_Q";
  const notes = { inputs: [], paints: [] };
  window.bench = notes;
  const isResult = (node) => {
    const element = node.nodeType === 1 ? node : node.parentElement;
    const panel = element?.closest("[data-panel]");
    return Boolean(panel) && panel.dataset.panel !== EDITED && Boolean(element.closest(".av-cell"));
  };
  const results = [...document.querySelectorAll("[data-panel]")].filter((panel) => panel.dataset.panel !== EDITED);
  // A closed strip shows colours alone: its digits follow when nobody waits for them (panel_strip.js).
  const isClosed = (panel) => getComputedStyle(panel).getPropertyValue("--av-strip").trim() === "1";
  const grids = results.filter((panel) => !isClosed(panel)).map((panel) => panel.querySelector(".av-grid"));
  // What the page shows beside the edited matrix: every digit of it.
  const picture = () => grids.map((grid) => grid.textContent).join();
  // Painted: the first task after the frame in which the page changed.
  const channel = new MessageChannel();
  let waiting = false;
  let shown = picture();
  let onPaint = null;
  channel.port1.onmessage = () => {
    const painted = performance.now();
    const now = picture();
    if (now === shown) return; // an outline, say
    shown = now;
    notes.paints.push({ time: painted });
    if (onPaint) onPaint();
  };
  const mark = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      channel.port2.postMessage(0);
    });
  };
  // A change made in a frame is painted in that frame: there the callback is told before the frame ends.
  let inFrame = false;
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) =>
    request((time) => {
      inFrame = true;
      callback(time);
      queueMicrotask(() => {
        inFrame = false;
      });
    });
  new MutationObserver((records) => {
    if (!records.some((record) => isResult(record.target))) return;
    if (inFrame) channel.port2.postMessage(0);
    else mark();
  }).observe(document.querySelector(".jp-Notebook"), {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  });
  const handle = document.querySelector(`[data-panel="${EDITED}"] .av-value`);
  for (const name of ["keydown", "pointermove", "pointerup"]) {
    document.addEventListener(name, (event) => notes.inputs.push({ name, time: event.timeStamp }), true);
  }

  notes.take = () => {
    const taken = { inputs: notes.inputs, paints: notes.paints };
    notes.inputs = [];
    notes.paints = [];
    return taken;
  };
  notes.focus = () => handle.focus();
  notes.place = () => {
    const box = handle.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  // Resolves when something is painted, or was since the last take.
  notes.painted = (most) =>
    new Promise((resolve) => {
      if (notes.paints.length) resolve();
      onPaint = resolve;
      setTimeout(resolve, most);
    });
  // Resolves when nothing was painted for `pause` ms.
  notes.quiet = (pause, most) =>
    new Promise((resolve) => {
      const start = performance.now();
      const look = () => {
        const now = performance.now();
        const last = notes.paints.length ? notes.paints[notes.paints.length - 1].time : start;
        if (now - Math.max(last, start) > pause || now - start > most) resolve();
        else setTimeout(look, 20);
      };
      look();
    });
}
