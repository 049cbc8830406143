// Put into the page by bench_live.py: notes when the hand acted and when the result was painted.
window.watch = (edited) => {
  const area = document.querySelector(".jp-Notebook");
  const notes = { inputs: [], paints: [], values: [] };
  window.bench = notes;
  const isResult = (node) => {
    const element = node.nodeType === 1 ? node : node.parentElement;
    if (!element) return false;
    if (!edited) return Boolean(element.closest(".jp-OutputArea-output")) && !element.closest(".widget-slider");
    const panel = element.closest("[data-panel]");
    return Boolean(panel) && panel.dataset.panel !== edited && Boolean(element.closest(".av-cell"));
  };
  // Painted: the first task after the frame in which the page changed.
  const channel = new MessageChannel();
  let waiting = null;
  let shown = null;
  let onPaint = null;
  channel.port1.onmessage = () => {
    const painted = performance.now();
    const value = currentValue();
    if (value === shown) return;
    notes.paints.push({ time: painted, value });
    shown = value;
    if (onPaint) onPaint();
  };
  const mark = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = null;
      channel.port2.postMessage(0);
    });
  };
  let images = 0; // without a MatrixView: how many pictures have come
  const currentValue = () => (edited ? window.answered : images);
  new MutationObserver((records) => {
    if (records.some((record) => isResult(record.target))) mark();
  }).observe(area, { subtree: true, childList: true, attributes: true, characterData: true });
  const onLoad = (event) => {
    if (event.target.tagName !== "IMG") return;
    images++;
    mark();
  };
  area.addEventListener("load", onLoad, true);

  // The values that the hand set, each with the time of its input: it is the latest before the edit was sent.
  const handle = edited
    ? document.querySelector(`[data-panel="${edited}"] .av-value`)
    : document.querySelector(".noUi-handle");
  const readValue = () => Number(handle.getAttribute("aria-valuenow"));
  let last = 0;
  for (const name of ["keydown", "pointermove", "pointerup"]) {
    document.addEventListener(
      name,
      (event) => {
        if (name !== "pointerup") last = event.timeStamp;
        notes.inputs.push({ name, time: event.timeStamp });
      },
      true,
    );
  }
  const noteValue = (value) => notes.values.push({ value, time: last });
  if (edited) window.onEditSent = noteValue;
  else {
    const observer = new MutationObserver(() => noteValue(readValue()));
    observer.observe(handle, { attributes: true, attributeFilter: ["aria-valuenow"] });
  }

  notes.take = () => {
    const taken = { inputs: notes.inputs, paints: notes.paints, values: notes.values, value: readValue() };
    notes.inputs = [];
    notes.paints = [];
    notes.values = [];
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
};
