import {
  Shapes, fillWithHalo, strokePath, traceArrow, traceCircle, traceDiamond, traceOctagon,
} from "./shapes.js";

const ORDER = ["free", "trip", "bus", "suspect", "flagged"];
const RADIUS = 14;
const HIT_PIXELS = 24;
const DIMMED = 0.13;
const SILENT = 0.45;

/** All vehicles of a view, each with `id`, `motion`, `mark`, and optional `isSilent`, `isDimmed` and `label`. */
export class VehiclesLayer {
  #shapes = new Shapes();
  vehicles = new Map();
  selected = null;
  hovered = null;

  draw(context, frame) {
    this.#shapes.prepare(frame);
    let isMoving = false;
    const drawn = [...this.vehicles.values()].sort((a, b) => this.#rank(a) - this.#rank(b));
    for (const vehicle of drawn) {
      isMoving = vehicle.motion.isMoving(frame.now) || isMoving;
      const point = vehicle.motion.at(frame.now);
      vehicle.drawn = frame.camera.toScreen(point);
      const { x, y } = vehicle.drawn;
      if (x < -30 || y < -30 || x > frame.camera.width + 30 || y > frame.camera.height + 30) continue;
      context.globalAlpha = vehicle.isDimmed ? DIMMED : vehicle.isSilent ? SILENT : 1;
      this.#drawMark(context, vehicle, point.heading, frame);
    }
    context.globalAlpha = 1;
    return isMoving;
  }

  keepOnly(ids) {
    const present = new Set(ids);
    for (const id of this.vehicles.keys()) if (!present.has(id)) this.vehicles.delete(id);
  }

  get places() {
    return [...this.vehicles.values()].map(({ motion }) => motion.place);
  }

  /** Returns the vehicle at a point of the canvas, or `null`. */
  at({ x, y }) {
    let nearest = null;
    let least = HIT_PIXELS;
    for (const vehicle of this.vehicles.values()) {
      if (!vehicle.drawn || vehicle.isDimmed) continue;
      const pixels = Math.hypot(vehicle.drawn.x - x, vehicle.drawn.y - y);
      if (pixels < least) [nearest, least] = [vehicle, pixels];
    }
    return nearest;
  }

  #rank(vehicle) {
    if (vehicle.id === this.selected) return 99;
    if (vehicle.id === this.hovered) return 98;
    return (vehicle.isDimmed ? -10 : 0) + ORDER.indexOf(vehicle.mark);
  }

  #drawMark(context, vehicle, heading, { palette, camera }) {
    const { mark, drawn: { x, y } } = vehicle;
    const isHighlighted = vehicle.id === this.selected || vehicle.id === this.hovered;
    if (vehicle.id === this.selected) {
      traceCircle(context, 21, { x, y });
      strokePath(context, palette.label, 3);
    }
    const size = isHighlighted ? 1 : sizeAt(camera.zoom, mark);
    const drawShape = (name, make, turn = 0) => {
      this.#shapes.draw(context, name, { x, y, heading: turn, size, radius: RADIUS, make });
    };
    const paint = { suspect: paintSuspect, flagged: paintFlagged, bus: paintBus }[mark];
    if (paint) {
      if (heading !== null) drawShape(`${mark} tick`, (one, colors) => paintTick(one, colors, mark), heading);
      drawShape(mark, paint);
    } else if (heading === null) {
      drawShape(`${mark} round`, (one, colors) => paintRound(one, colors, colors[mark]));
    } else {
      drawShape(`${mark} arrow`, (one, colors) => paintArrow(one, colors, colors[mark], mark), heading);
    }
    if (isHighlighted || (vehicle.label && camera.zoom > 12)) {
      drawLabel(context, { text: vehicle.label ?? vehicle.id, x, y: y + 25, palette });
    }
  }
}

/** Returns the size of a marker, which shrinks at low zoom; suspect and flagged vehicles stay larger. */
function sizeAt(zoom, mark) {
  const least = mark === "suspect" || mark === "flagged" ? 0.8 : 0.55;
  return Math.max(least, Math.min(1, least + ((zoom - 11) / 2.5) * (1 - least)));
}

function paintArrow(context, palette, color, mark) {
  traceArrow(context, mark === "free" ? 8 : 9.5);
  fillWithHalo(context, palette, color, { outline: 1.75 });
}

function paintRound(context, palette, color) {
  traceCircle(context, 6);
  fillWithHalo(context, palette, color);
}

function paintTick(context, palette, mark) {
  const isBus = mark === "bus";
  context.translate(0, isBus ? -17 : -16);
  context.scale(0.5, 0.42);
  traceArrow(context, 9);
  fillWithHalo(context, palette, palette[isBus ? "trip" : mark], { outline: 2.5, blur: 2 });
}

function paintSuspect(context, palette) {
  traceDiamond(context, 11.5);
  fillWithHalo(context, palette, palette.suspect);
  strokeLines(context, palette.halo, 2.4, [[0, -4.6, 0, 0.6], [0, 4.4, 0, 4.5]]);
}

function paintFlagged(context, palette) {
  traceOctagon(context, 11.5);
  fillWithHalo(context, palette, palette.flagged);
  strokeLines(context, palette.halo, 2.6, [[3.6, -3.6, -3.6, 3.6], [-3.6, -3.6, 3.6, 3.6]]);
}

function strokeLines(context, color, width, lines) {
  context.beginPath();
  for (const [fromX, fromY, toX, toY] of lines) {
    context.moveTo(fromX, fromY);
    context.lineTo(toX, toY);
  }
  strokePath(context, color, width);
}

function paintBus(context, palette) {
  traceCircle(context, 12);
  fillWithHalo(context, palette, palette.trip, { outline: 2.5, blur: 7 });
  context.fillStyle = palette.halo;
  context.beginPath();
  context.roundRect(-5, -5.5, 10, 9.5, 2);
  context.fill();
  context.beginPath();
  context.roundRect(-4, 3, 2.4, 3, 1);
  context.roundRect(1.6, 3, 2.4, 3, 1);
  context.fill();
  context.fillStyle = palette.trip;
  context.fillRect(-3.4, -3.4, 6.8, 3.6);
}

/** Draws a short text in a pill, centred at a point. */
export function drawLabel(context, { text, x, y, palette }) {
  context.font = `600 12px ${palette.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const width = context.measureText(text).width + 14;
  context.save();
  context.shadowColor = palette.shadow;
  context.shadowBlur = 6;
  context.fillStyle = palette.halo;
  context.beginPath();
  context.roundRect(x - width / 2, y - 10, width, 20, 10);
  context.fill();
  context.restore();
  context.fillStyle = palette.label;
  context.fillText(text, x, y + 0.5);
}
