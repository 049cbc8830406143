// Maps of one pixel a cell, which the page enlarges.

/**
 * "#rrggbb" as a canvas holds it: four bytes, red first.
 * @param {string} colour
 */
export function pixelOf(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0];
}

export class PixelMap {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {number} rows
   * @param {number} columns
   */
  constructor(canvas, rows, columns) {
    canvas.width = columns;
    canvas.height = rows;
    this.context = canvas.getContext("2d");
    this.image = this.context?.createImageData(columns, rows);
    this.pixels = new Uint32Array(this.image?.data.buffer ?? new ArrayBuffer(4 * rows * columns));
  }

  /** @param {(k: number) => number} pixelAt the pixel of each cell */
  draw(pixelAt) {
    for (let k = 0; k < this.pixels.length; k++) this.pixels[k] = pixelAt(k);
    if (this.image) this.context?.putImageData(this.image, 0, 0);
  }
}
