// Opens every lab and one prediction in a headless Firefox: node tools/javascript/firefox_check.mjs PYTHON [NAME ...]
//
// Each gets a small notebook of its own. One key has to change something elsewhere in the lab, and the console has to stay
// without an error. FIREFOX can name another Firefox than Debian's.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import puppeteer from "puppeteer-core";

const FIREFOX = process.env.FIREFOX || "/usr/bin/firefox-esr"; // where `apt-get install firefox-esr` puts it
const LIMIT = 120_000; // ms, for the server, a kernel or a cell
const PATIENCE = 3_000; // ms, for a key to change something, beside what the kernel takes
const GONE_TOO_SOON = "[anywidget] Failed to initialize model."; // as in tests/browser/harness.py
const PREDICTION = "prediction";
const CELLS = { "[role=spinbutton]": "ArrowDown", "[role=checkbox]": " " }; // in a lab that has cells, the first one works
// Tried one after the other in a lab without cells: a slider can stand at its end, and a button can have nothing to do.
const OTHERS = { "[role=slider]": "ArrowUp", ".noUi-handle": "ArrowDown", select: "ArrowDown", button: "Enter" };

// The server and the notebooks of the browser tests; they go when the input ends.
const SERVE = `
import json, os, pathlib, sys, tempfile
sys.path.insert(0, "tests/browser")
from lab_server import LabServer, write_notebook
from test_for_everyone import LABS, OTHERS
from attention_lib._kept import OFF, VARIABLE
os.environ[VARIABLE] = OFF
cells = LABS | {"${PREDICTION}": OTHERS["choice"]}  # shown twice: the arrows are to stay in the first
with tempfile.TemporaryDirectory() as home:
    root = pathlib.Path(home, "notebooks")
    root.mkdir()
    for name, cell in cells.items():
        write_notebook(root / f"{name}.ipynb", [cell, cell] if name == "${PREDICTION}" else [cell])
    server = LabServer(pathlib.Path(home), root, sparing=True)
    print(json.dumps({"url": server.url, "names": list(cells)}), flush=True)
    sys.stdin.read()
    server.stop()
`;

// -- what runs in the page ----------------------------------------------------------------------------

const isIdle = () => {
  const kernel = globalThis.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
  return kernel?.connectionStatus === "connected" && kernel.status === "idle";
};

const runAll = () => globalThis.jupyterapp.commands.execute("notebook:run-all-cells").then(() => null);

// Every text in the lab, but for that of the control that has the focus.
const otherTexts = () => {
  const focus = document.activeElement;
  const own = focus.closest(".widget-slider, .widget-inline-hbox") ?? focus;
  const texts = document.createTreeWalker(document.querySelector(".attention-lab"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (data.trim() && !own.contains(parentElement)) found.push(data);
  }
  return found;
};

const isOpen = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.disabled;

// Where the focus is among the choices of both predictions; -1 where it is not.
const place = () => [...document.querySelectorAll(".widget-radio input")].indexOf(document.activeElement);

// -- what is tried --------------------------------------------------------------------------------------

// Returns what the page reads as soon as it has stood still for two looks.
async function atRest(page) {
  await page.waitForFunction(isIdle, { timeout: LIMIT });
  let before;
  let now = JSON.stringify(await page.evaluate(otherTexts));
  while (now !== before) {
    before = now;
    await new Promise((rested) => setTimeout(rested, 200));
    now = JSON.stringify(await page.evaluate(otherTexts));
  }
  return JSON.parse(now);
}

async function tryLab(page) {
  await page.waitForSelector(".attention-lab", { timeout: LIMIT });
  for (const [selector, key] of Object.entries({ ...CELLS, ...OTHERS }))
    for (const edit of await page.$$(`.attention-lab ${selector}`)) {
      if (!(await edit.evaluate(isOpen))) continue;
      await edit.focus();
      const before = await atRest(page);
      await page.keyboard.press(key);
      for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
        const changed = (await atRest(page)).filter((text, i) => text !== before[i]).length;
        if (changed) return `${key.trim() || "Space"} on ${selector} changed ${changed} of ${before.length} texts`;
      }
      if (selector in CELLS) throw new Error(`${key} on ${selector} changed nothing`);
    }
  throw new Error("no key changed anything");
}

async function tryPrediction(page) {
  await page.waitForFunction(() => document.querySelectorAll(".widget-radio").length === 2, { timeout: LIMIT });
  const choices = await (await page.$(".widget-radio")).$$("input");
  await choices[0].focus();
  const places = [];
  for (const _ of choices) {
    await page.keyboard.press("ArrowDown");
    places.push(await page.evaluate(place));
  }
  const wanted = choices.map((_, i) => (i + 1) % choices.length);
  if (`${places}` !== `${wanted}`) throw new Error(`ArrowDown led to the choices ${places}, not ${wanted}`);
  return `ArrowDown went round its ${choices.length} choices`;
}

async function tryOne(browser, url, name) {
  const page = await browser.newPage();
  const problems = [];
  const hear = (problem) => problem !== GONE_TOO_SOON && problems.push(problem);
  page.on("console", (message) => message.type() === "error" && hear(message.text()));
  page.on("pageerror", (error) => hear(error.message));
  let result = "";
  try {
    await page.goto(`${url}/doc/workspaces/${name}/tree/${name}.ipynb`);
    await page.waitForFunction(isIdle, { timeout: LIMIT });
    await page.evaluate(runAll);
    result = await (name === PREDICTION ? tryPrediction : tryLab)(page);
  } catch (error) {
    problems.push(error.message);
  }
  await page.close();
  for (const { id } of await (await fetch(`${url}/api/sessions`)).json())
    await fetch(`${url}/api/sessions/${id}`, { method: "DELETE" });
  console.log(`${name}: ${problems.length ? `FAILED: ${problems.join("; ")}` : result}`);
  return problems.length === 0;
}

const [python, ...only] = process.argv.slice(2);
const browser = await puppeteer.launch({ browser: "firefox", executablePath: FIREFOX, protocolTimeout: LIMIT });
const server = spawn(python, ["-c", SERVE], { stdio: ["pipe", "pipe", "inherit"] });
const { value: line } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
if (!line) throw new Error("JupyterLab did not start.");
const { url, names } = JSON.parse(line);
console.log(await browser.version());
try {
  for (const name of only.length ? only : names) if (!(await tryOne(browser, url, name))) process.exitCode = 1;
} finally {
  await browser.close();
  server.stdin.end();
}
