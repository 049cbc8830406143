// Put into the page by bench_live.py: notes when the hand acted, and each new picture when it was painted.
window.watch = (edited) => {
  const area = document.querySelector(".jp-Notebook");
  const notes = { inputs: [], paints: [] };
  window.bench = notes;
  const isResult = (node) => {
    const element = node.nodeType === 1 ? node : node.parentElement;
    if (!element) return false;
    if (!edited) return Boolean(element.closest(".jp-OutputArea-output")) && !element.closest(".widget-slider");
    const panel = element.closest("[data-panel]");
    return Boolean(panel) && panel.dataset.panel !== edited && Boolean(element.closest(".av-cell"));
  };
  const results = edited
    ? [...document.querySelectorAll("[data-panel]")].filter((panel) => panel.dataset.panel !== edited)
    : [];
  // A closed strip shows colours alone: its digits follow when nobody waits for them (panel_strip.js).
  const isClosed = (panel) => getComputedStyle(panel).getPropertyValue("--av-strip").trim() === "1";
  const grids = results.filter((panel) => !isClosed(panel)).map((panel) => panel.querySelector(".av-grid"));
  let images = 0; // without a MatrixView: how many pictures have come
  // What the page shows beside the edited matrix: every digit of it.
  const picture = () => (edited ? grids.map((grid) => grid.textContent).join() : images);
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
  }).observe(area, { subtree: true, childList: true, attributes: true, characterData: true });
  const onLoad = (event) => {
    if (event.target.tagName !== "IMG") return;
    images++;
    mark();
  };
  area.addEventListener("load", onLoad, true);

  const handle = edited
    ? document.querySelector(`[data-panel="${edited}"] .av-value`)
    : document.querySelector(".noUi-handle");
  for (const name of ["keydown", "pointermove", "pointerup"]) {
    document.addEventListener(name, (event) => notes.inputs.push({ name, time: event.timeStamp }), true);
  }

  notes.take = () => {
    const taken = { inputs: notes.inputs, paints: notes.paints, value: Number(handle.getAttribute("aria-valuenow")) };
    notes.inputs = [];
    notes.paints = [];
    return taken;
  };
  notes.focus = () => handle.focus();
  notes.place = () => {
    const box = handle.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  // Every number of a panel, as it stands there.
  notes.texts = (name) =>
    [...document.querySelectorAll(`[data-panel="${name}"] .av-cell`)].map((cell) => cell.textContent);
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
};
