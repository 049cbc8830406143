// The shapes of what Python and the page hand to each other, for readers and the type checker: it never reaches the page.

/** Colours of a scale from its low end to its high one, and the ink that reads on each. */
export type Palette = [colours: string[], inks: string[]];

/** One panel: what each means stands in panel.py. */
export interface Spec {
  name: string; // its identity: never shown
  title: string;
  kind: "weights" | "signed" | "mask";
  rows: string[];
  columns: string[];
  row_axis: string;
  column_axis: string;
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

/** What the hand did; the messenger adds the running number. */
export interface Message {
  do: "edit" | "select";
  n?: number;
  panel?: string;
  row?: number;
  column?: number;
  value?: number; // of an edit, as the next
  gesture?: string;
}

export interface Matrix {
  rows: number;
  columns: number;
  values: Float64Array;
}

/** One step of a chain: what it is called, what is done, and with what: names, or a number. */
export type Step = [result: string, operation: string, ...operands: (string | number)[]];

/** What a page without Python knows of a view at one time: the state of matrix_view.py, and the words around it. */
export interface Lone {
  _spec: Spec[];
  _values: DataView<ArrayBuffer>;
  _selected: unknown[];
  _ack: unknown[];
  _chain: Step[];
  _given: Record<string, number[][]>;
  _highlight: Record<string, number[][]>;
  preset: string; // the start that it came from
  label: string; // what the menu calls it
  classes: string[]; // of the lab in this state
  gloss: string; // what its Korean words mean
  said: string; // what the last button did
}

/** All starts of a lab, as Python writes them: bytes as text in base64. */
export interface LoneData {
  shared: Partial<Lone>;
  starts: Lone[];
  labels: Record<"preset" | "changed" | "undo" | "reset", string>;
  messages: Record<string, string>;
}
