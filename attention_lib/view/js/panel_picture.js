// What a panel shows of its values: digits, colours, outlines, words.

class PanelPicture extends PanelFrame {
  range() {
    const { spec, values } = this;
    let low = spec.kind === "signed" ? -spec.limit : 0;
    let high = spec.limit;
    if (this.stretched) {
      let least = Infinity;
      let most = -Infinity;
      for (const v of values) {
        if (!Number.isFinite(v)) continue;
        if (v < least) least = v;
        if (v > most) most = v;
      }
      if (least <= most) [low, high] = spec.kind === "signed" ? this.around(least, most) : [least, most];
    }
    return [low, high];
  }

  // Two hues stay around 0, also when stretched.
  around(least, most) {
    const size = Math.max(Math.abs(least), Math.abs(most));
    return [-size, size];
  }

  setStretched(on) {
    if (this.stretched === on || !this.stretchButton) return;
    this.stretched = on;
    this.labelStretch();
    this.draw();
  }

  labelStretch() {
    const { words } = this.board;
    this.stretchButton.textContent = this.stretched ? words.fixed : words.stretch;
    this.stretchButton.title = this.stretched ? words.fixed_title : words.stretch_title;
    this.stretchButton.setAttribute("aria-label", `${this.spec.name}: ${this.stretchButton.textContent}`);
  }

  draw() {
    clearTimeout(this.echo);
    this.echo = null;
    if (this.numeric) {
      const [low, high] = this.range();
      const digits = this.stretched ? Math.max(3, this.spec.digits) : Number.isInteger(high) ? 0 : 2;
      const rangeShown = numberText(low, digits) + numberText(high, digits) + this.stretched;
      if (rangeShown !== this.rangeShown) {
        this.rangeShown = rangeShown;
        this.lowText.textContent = numberText(low, digits);
        this.highText.textContent = numberText(high, digits) + (this.stretched ? ` (${this.board.words.stretched})` : "");
      }
      this.low = low;
      this.scale = high > low ? (this.palette[0].length - 1) / (high - low) : 0;
    }
    for (let k = 0; k < this.size; k++) this.drawCell(k);
    if (this.pointed !== undefined && this.pointed !== null) this.showReadout(this.pointed);
  }

  valueAt(k) {
    const edit = this.pending.get(k);
    return edit ? edit.value : this.values[k];
  }

  isChanged(k, value, text) {
    if (this.marks) return this.marks[k] === 1;
    if (!this.base || Object.is(value, this.base[k])) return false;
    return this.textOf(this.base[k]) !== text;
  }

  textOf(value) {
    if (this.numeric) return numberText(value, this.spec.digits);
    if (this.spec.kind === "mask") return value ? "✓" : "×";
    return (this.spec.categories[value] || ["", "?"])[1];
  }

  // Writes to the page only what differs from what is there.
  drawCell(k) {
    const value = this.valueAt(k);
    const shown = this.shown[k];
    const cell = this.cells[k];
    const text = this.textOf(value);
    const changed = this.isChanged(k, value, text);
    if (text !== shown[0]) {
      shown[0] = text;
      if (!this.dense) this.texts[k].data = text;
      if (text.length > this.textWidth) this.fitText(text.length);
      if (this.spec.editable) this.announceValue(k, value, text);
      else if (this.dense) cell.setAttribute("aria-label", text);
    }
    let special = "";
    let at = 0;
    if (this.numeric) {
      if (value === -Infinity) special = "av-forbidden";
      else if (!Number.isFinite(value)) special = "av-broken";
      else at = Math.min(this.palette[0].length - 1, Math.max(0, Math.round((value - this.low) * this.scale)));
    } else if (this.spec.kind === "mask") special = value ? "" : "av-forbidden";
    else at = Math.min(this.palette[0].length - 1, Math.max(0, value));
    if (special !== shown[4]) {
      if (shown[4]) cell.classList.remove(shown[4]);
      if (special) cell.classList.add(special);
      shown[4] = special;
    }
    const background = special ? "" : this.palette[0][at];
    if (background !== shown[1]) {
      shown[1] = background;
      cell.style.backgroundColor = background;
      const dark = !special && this.palette[1][at] === "#ffffff";
      if (dark !== shown[2]) cell.classList.toggle("av-on-dark", (shown[2] = dark));
    }
    if (changed !== shown[3]) {
      shown[3] = changed;
      cell.classList.toggle("av-changed", changed);
    }
  }

  announceValue(k, value, text) {
    const target = this.focusTarget(k);
    if (this.numeric) {
      target.setAttribute("aria-valuenow", value);
      target.setAttribute("aria-valuetext", text);
    } else {
      target.setAttribute("aria-checked", String(Boolean(value)));
    }
  }

  setValues(values, marks, newGesture) {
    if (newGesture) this.base = this.hasValues ? this.values : null;
    this.values = values;
    this.hasValues = true;
    this.marks = marks;
    this.draw();
  }

  // Python has answered some edits: its own values show again.
  settle() {
    for (const [k, edit] of this.pending) {
      if (this.board.messenger.open(this.slot(k), edit)) continue;
      this.pending.delete(k);
      this.drawCell(k);
    }
  }

  setCaption(text, visible) {
    if (text !== this.captionText.data) this.captionText.data = text;
    this.caption.classList.toggle("av-hidden", !visible);
  }

  setHighlight(list) {
    for (let k = 0; k < this.size; k++) {
      const i = Math.floor(k / this.nColumns);
      const j = k % this.nColumns;
      const on = list.some(([row, column]) => (row === null || row === i) && (column === null || column === j));
      this.cells[k].classList.toggle("av-lit", on);
    }
  }

  setSelected(row, column) {
    this.lines.forEach((line, i) => line.classList.toggle("av-selected-line", i === row));
    this.rowLabels.forEach((label, i) => {
      label.classList.toggle("av-selected-label", i === row);
      if (i === row) label.setAttribute("aria-selected", "true");
      else label.removeAttribute("aria-selected");
    });
    this.columnLabels.forEach((label, j) => label.classList.toggle("av-selected-label", j === column));
    const chosen = row === null || column === null ? null : row * this.nColumns + column;
    if (this.chosen !== undefined && this.chosen !== null) {
      this.cells[this.chosen].classList.remove("av-selected");
      this.cells[this.chosen].removeAttribute("aria-selected");
    }
    this.chosen = chosen;
    if (chosen === null) return;
    this.cells[chosen].classList.add("av-selected");
    this.cells[chosen].setAttribute("aria-selected", "true");
    if (!this.grid.contains(document.activeElement)) this.setActive(chosen);
  }

  // The line under the panel: the cell under the pointer or the focus, with more digits than fit the cell.
  showReadout(k) {
    this.pointed = k;
    const { spec, board } = this;
    let text = "";
    if (k !== null) {
      const i = Math.floor(k / this.nColumns);
      const j = k % this.nColumns;
      const value = this.valueAt(k);
      const name = spec.kind === "mask" ? board.words[value ? "allowed" : "forbidden"] : (spec.categories[value] || [""])[0];
      const shown = this.numeric ? numberText(value, spec.digits + 2) : name;
      text = `${spec.row_axis} ${spec.rows[i]}, ${spec.column_axis} ${spec.columns[j]}: ${shown}`;
    }
    if (text !== this.readout.data) this.readout.data = text;
  }
}
