// What the scripts hand to each other, for the type checker alone: nothing here reaches the page.

/** What a view hears: for a message of Python's own its content and bytes, for a change of state nothing. */
export type Handler = (content: unknown, buffers?: DataView<ArrayBuffer>[]) => void;

/** The state that Python keeps, as anywidget hands it to a view. */
export interface Model {
  // biome-ignore lint/suspicious/noExplicitAny: what each name holds stands in matrix_view.py and thumbnails.py
  get(name: string): any;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: unknown): void;
  on(name: string, handler: Handler): void;
  off(name: string, handler: Handler): void;
}

export interface View {
  model: Model;
  el: HTMLElement;
}

export type Words = Record<string, string>;

/** Colours of a scale from its low end to its high one, and the ink that reads on each. */
export type Palette = [colours: string[], inks: string[]];

/** One panel as panel.py describes it. */
export interface Spec {
  /** Its identity: never shown. */
  name: string;
  /** The line above it, and what readers call it. */
  title: string;
  kind: "weights" | "signed" | "mask";
  rows: string[];
  columns: string[];
  row_axis: string;
  column_axis: string;
  /** Of a mask: what stands for false and for true. */
  symbols: [string, string];
  limit: number;
  digits: number;
  editable: boolean;
  low: number;
  high: number;
  step: number;
  dense: boolean;
  bars: boolean;
}

/** Panels by name, and arrows; a list is a row in a column, and a column in a row. */
export type Arranged = string | Arranged[];

/** What the hand did; the messenger adds the running number. */
export interface Message {
  do: "edit" | "select";
  n?: number;
  panel?: string;
  row?: number;
  column?: number | null;
}

/** What Python answers to a message, and to those before it. */
export type Ack = [view: string, n: number];

export interface Edit extends Message {
  do: "edit";
  panel: string;
  row: number;
  column: number;
  value: number;
  gesture: string;
}

/** Bytes as a widget's state brings them. */
export type Bytes = DataView<ArrayBuffer>;

export interface Matrix {
  rows: number;
  columns: number;
  values: Float64Array;
}

/** One step of a chain: what it is called, what is done, and with what: names, or a number. */
export type Step = [result: string, operation: string, ...operands: (string | number)[]];

/** Cells that are marked, by panel. */
export type Marks = Record<string, [row: number, column: number | null][]>;

/** What a page without Python knows of a view at one time: the state that a view reads, and the words around it. */
export interface Lone {
  _spec: Spec[];
  _arrangement: Arranged[];
  _values: Bytes;
  _captions: Record<string, string>;
  _highlight: Marks;
  _selected: [] | [panel: string, row: number, column: number | null];
  _moves: boolean;
  _ack: [] | Ack;
  _chain: Step[];
  _given: Record<string, number[][]>;
  _words: Words;
  _palettes: Record<string, Palette>;
  /** The start that it came from, and what the menu calls it. */
  preset: string;
  label: string;
  /** An SVG with hands, as Python drew the start; "" for a lab without one. */
  drawing: string;
  /** Classes of the lab in this state. */
  classes: string[];
  /** What its Korean words mean. */
  gloss: string;
  /** What the last button did. */
  said: string;
}

/** All starts of a lab, as Python writes them: bytes as text in base64. */
export interface LoneData {
  shared: Partial<Lone>;
  starts: (Omit<Lone, "_values"> & { _values: string })[];
  labels: Record<"preset" | "changed" | "undo" | "reset", string>;
  messages: Record<string, string>;
}
