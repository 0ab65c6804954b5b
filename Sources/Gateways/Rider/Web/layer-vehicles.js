import { Shapes, fillWithHalo, traceArrow, traceCircle, traceDiamond, traceOctagon } from "./shapes.js";

const ORDER = ["free", "trip", "bus", "suspect", "flagged"];
const RADIUS = 14;
/** A click within this distance selects a vehicle. */
const HIT_PIXELS = 24;
const DIMMED = 0.13;
const SILENT = 0.45;

/** Many vehicles, each with `id`, `motion`, `mark`, and optional `isSilent`, `isDimmed` and `label`. */
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
      const { x, y, heading } = this.#locate(vehicle, frame);
      vehicle.drawn = { x, y };
      if (x < -30 || y < -30 || x > frame.camera.width + 30 || y > frame.camera.height + 30) continue;
      context.globalAlpha = vehicle.isDimmed ? DIMMED : vehicle.isSilent ? SILENT : 1;
      this.#drawMark(context, vehicle, { x, y, heading }, frame);
    }
    context.globalAlpha = 1;
    return isMoving;
  }

  /** Returns the vehicle at a point of the canvas, or `null`. */
  at({ x, y }) {
    let nearest = null;
    let least = HIT_PIXELS;
    for (const vehicle of this.vehicles.values()) {
      if (!vehicle.drawn || vehicle.isDimmed) continue;
      const away = Math.hypot(vehicle.drawn.x - x, vehicle.drawn.y - y);
      if (away < least) [nearest, least] = [vehicle, away];
    }
    return nearest;
  }

  #rank(vehicle) {
    if (vehicle.id === this.selected) return 99;
    if (vehicle.id === this.hovered) return 98;
    return (vehicle.isDimmed ? -10 : 0) + ORDER.indexOf(vehicle.mark);
  }

  #locate({ motion }, { now, camera }) {
    const { x, y, heading } = motion.at(now);
    return { ...camera.toScreen({ x, y }), heading };
  }

  #drawMark(context, vehicle, { x, y, heading }, { palette, camera }) {
    const { mark } = vehicle;
    const isNamed = vehicle.id === this.selected || vehicle.id === this.hovered;
    if (vehicle.id === this.selected) drawRing(context, x, y, palette);
    const size = isNamed ? 1 : sizeAt(camera.zoom, mark);
    const drawShape = (name, make, turn = 0) => {
      this.#shapes.draw(context, name, { x, y, heading: turn, size, radius: RADIUS, make });
    };
    if (mark === "suspect" || mark === "flagged") {
      const tick = (one, colors) => paintTick(one, colors, colors[mark], 16);
      if (heading !== null) drawShape(`${mark} tick`, tick, heading);
      drawShape(mark, mark === "suspect" ? paintSuspect : paintFlagged);
    } else if (mark === "bus") {
      if (heading !== null) drawShape("bus tick", (one, colors) => paintTick(one, colors, colors.trip, 17), heading);
      drawShape("bus", paintBus);
    } else if (heading === null) {
      drawShape(`${mark} round`, (one, colors) => paintRound(one, colors, colors[mark]));
    } else {
      drawShape(`${mark} arrow`, (one, colors) => paintArrow(one, colors, colors[mark], mark), heading);
    }
    if (isNamed || (vehicle.label && camera.zoom > 12)) {
      drawLabel(context, { text: vehicle.label ?? vehicle.id, x, y: y + 25, palette });
    }
  }
}

/** Shrinks markers at low zoom so that they do not hide the town; suspect and flagged ones stay larger. */
function sizeAt(zoom, mark) {
  const least = mark === "suspect" || mark === "flagged" ? 0.8 : 0.55;
  return Math.max(least, Math.min(1, least + ((zoom - 11) / 2.5) * (1 - least)));
}

function drawRing(context, x, y, palette) {
  context.beginPath();
  context.arc(x, y, 21, 0, 2 * Math.PI);
  context.lineWidth = 3;
  context.strokeStyle = palette.ink;
  context.stroke();
}

function paintArrow(context, palette, color, mark) {
  traceArrow(context, mark === "free" ? 8 : 9.5);
  fillWithHalo(context, palette, color, { outline: 1.75 });
}

function paintRound(context, palette, color) {
  traceCircle(context, 6);
  fillWithHalo(context, palette, color);
}

function paintTick(context, palette, color, distance) {
  context.translate(0, -distance);
  context.scale(0.5, 0.42);
  traceArrow(context, 9);
  fillWithHalo(context, palette, color, { outline: 2.5, blur: 2 });
}

function paintSuspect(context, palette) {
  traceDiamond(context, 11.5);
  fillWithHalo(context, palette, palette.suspect);
  paintExclamation(context, palette);
}

function paintFlagged(context, palette) {
  traceOctagon(context, 11.5);
  fillWithHalo(context, palette, palette.flagged);
  context.strokeStyle = palette.halo;
  context.lineWidth = 2.6;
  context.beginPath();
  for (const side of [-1, 1]) {
    context.moveTo(-3.6 * side, -3.6);
    context.lineTo(3.6 * side, 3.6);
  }
  context.stroke();
}

function paintExclamation(context, palette) {
  context.strokeStyle = palette.halo;
  context.lineWidth = 2.4;
  context.beginPath();
  context.moveTo(0, -4.6);
  context.lineTo(0, 0.6);
  context.moveTo(0, 4.4);
  context.lineTo(0, 4.5);
  context.stroke();
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
export function drawLabel(context, { text, x, y, palette, weight = 600 }) {
  context.font = `${weight} 12px ${palette.font}`;
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
