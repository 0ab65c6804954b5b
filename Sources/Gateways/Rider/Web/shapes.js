const MARGIN = 12;

/** Images of markers, which differ in shape and colour; rendered once per colour scheme and pixel ratio. */
export class Shapes {
  #pictures = new Map();
  #key = "";

  /** Discards the images if the colours or the pixel ratio changed. */
  prepare({ palette, pixelRatio }) {
    const key = `${palette.land} ${palette.trip} ${pixelRatio}`;
    if (key === this.#key) return;
    this.#key = key;
    this.#pictures.clear();
    this.palette = palette;
    this.pixelRatio = pixelRatio;
  }

  /** Draws the image `name` around a point, scaled by `size`; `make(context, palette)` renders it the first time. */
  draw(context, name, { x, y, heading = 0, size = 1, radius, make }) {
    let picture = this.#pictures.get(name);
    if (!picture) {
      picture = this.#paint(radius, make);
      this.#pictures.set(name, picture);
    }
    const half = (radius + MARGIN) * size;
    if (heading === 0) {
      context.drawImage(picture, x - half, y - half, 2 * half, 2 * half);
      return;
    }
    context.save();
    context.translate(x, y);
    context.rotate((heading * Math.PI) / 180);
    context.drawImage(picture, -half, -half, 2 * half, 2 * half);
    context.restore();
  }

  #paint(radius, make) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = Math.ceil(2 * (radius + MARGIN) * this.pixelRatio);
    const context = canvas.getContext("2d");
    context.scale(this.pixelRatio, this.pixelRatio);
    context.translate(radius + MARGIN, radius + MARGIN);
    context.lineJoin = context.lineCap = "round";
    make(context, this.palette);
    return canvas;
  }
}

function polygon(context, points) {
  traceLine(context, points.map(([x, y]) => ({ x, y })));
  context.closePath();
}

export function traceLine(context, points) {
  context.beginPath();
  for (const { x, y } of points) context.lineTo(x, y);
}

export function strokePath(context, color, width) {
  context.strokeStyle = color;
  context.lineWidth = width;
  context.stroke();
}

export function traceArrow(context, size) {
  polygon(context, [[0, -size], [size * 0.74, size * 0.82], [0, size * 0.46], [-size * 0.74, size * 0.82]]);
}

export function traceCircle(context, radius, { x, y } = { x: 0, y: 0 }) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

export function traceDiamond(context, size) {
  polygon(context, [[0, -size], [size, 0], [0, size], [-size, 0]]);
}

export function traceOctagon(context, size) {
  const corner = (index) => (index * 45 + 22.5) * (Math.PI / 180);
  const point = (_, index) => [Math.cos(corner(index)) * size, Math.sin(corner(index)) * size];
  polygon(context, Array.from({ length: 8 }, point));
}

/** Fills the current path and outlines it with a halo and a soft shadow. */
export function fillWithHalo(context, palette, color, { outline = 2, blur = 5, drop = 0 } = {}) {
  context.save();
  context.shadowColor = palette.shadow;
  context.shadowBlur = blur * (context.getTransform().a || 1);
  context.shadowOffsetY = drop * (context.getTransform().a || 1);
  strokePath(context, palette.halo, outline * 2);
  context.restore();
  context.fillStyle = color;
  context.fill();
}
