import { coordinateOf, worldOf } from "./geo.js";
import { drawLabel } from "./layer-vehicles.js";
import { Shapes, fillWithHalo, strokePath, traceArrow, traceCircle, traceLine } from "./shapes.js";

const PUCK_RADIUS = 18;
const PULSE_MS = 2400;

/** One trip: route, stops, vehicle, and a ghost at the estimated position of a silent vehicle. */
export class TripLayer {
  #shapes = new Shapes();
  route = null;
  /** `{ place, kind, label, meters, isPassed }` of each stop with a known place. */
  stops = [];
  motion = null;
  /** Whether the vehicle is silent or the trip has ended. */
  isOld = false;
  isPulsing = false;
  /** Returns the ghost as `{ place, heading, alpha }`, or `null`. */
  ghostAt = () => null;
  /** The vehicle's pixel in the last frame, or `null`. */
  drawn = null;

  draw(context, frame) {
    this.#shapes.prepare(frame);
    const vehicle = this.motion?.at(frame.now) ?? null;
    if (this.route) this.#drawRoute(context, frame, vehicle);
    for (const stop of this.stops) this.#drawStop(context, frame, stop);
    this.drawn = vehicle && frame.camera.toScreen(vehicle);
    const ghost = vehicle && this.ghostAt();
    if (ghost) this.#drawGhost(context, frame, ghost);
    if (vehicle) this.#drawVehicle(context, frame, vehicle.heading);
    return Boolean(this.motion?.isMoving(frame.now) || ghost || (vehicle && this.#hasPulse(frame)));
  }

  #hasPulse({ isMotionReduced }) {
    return this.isPulsing && !this.isOld && !isMotionReduced;
  }

  #drawRoute(context, { camera, palette }, vehicle) {
    const { route } = this;
    const done = vehicle ? (route.progress(coordinateOf(vehicle)) ?? 0) : 0;
    const next = this.stops.find(({ isPassed, meters }) => !isPassed && meters !== null)?.meters ?? route.lengthMeters;
    const stroke = (from, to, color, width) => {
      if (to - from < 0.5) return;
      const [first, last] = [route.at(from), route.at(to)];
      const line = [worldOf(first), ...route.world.slice(first.index, last.index), worldOf(last)];
      traceLine(context, line.map((point) => camera.toScreen(point)));
      strokePath(context, color, width);
    };
    context.lineJoin = context.lineCap = "round";
    stroke(0, route.lengthMeters, palette.halo, 9);
    stroke(0, done, palette["route-done"], 5);
    context.globalAlpha = 0.5;
    stroke(Math.max(next, done), route.lengthMeters, palette.trip, 5);
    context.globalAlpha = 1;
    stroke(done, next, palette.trip, 5.5);
  }

  #drawStop(context, { camera, palette }, { place, kind, label, isPassed }) {
    const { x, y } = camera.toScreen(worldOf(place));
    context.save();
    context.globalAlpha = isPassed ? 0.55 : 1;
    context.translate(x, y);
    if (kind === "DROPOFF") {
      context.beginPath();
      context.roundRect(-8, -8, 16, 16, 4);
    } else {
      traceCircle(context, kind === "PICKUP" ? 8 : 6);
    }
    fillWithHalo(context, palette, isPassed ? palette["route-done"] : palette.trip, { outline: 2.5 });
    context.fillStyle = palette.halo;
    if (kind === "DROPOFF") {
      context.beginPath();
      context.roundRect(-3, -3, 6, 6, 1);
    } else {
      traceCircle(context, 3.2);
    }
    context.fill();
    context.restore();
    if (label && !isPassed) drawLabel(context, { text: label, x, y: y + 23, palette });
  }

  #drawVehicle(context, frame, heading) {
    const { now, palette } = frame;
    const { x, y } = this.drawn;
    if (this.#hasPulse(frame)) drawPulse(context, this.drawn, (now % PULSE_MS) / PULSE_MS, palette);
    const drawShape = (name, make, turn = 0) => {
      this.#shapes.draw(context, name, { x, y, heading: turn, radius: PUCK_RADIUS, make });
    };
    const suffix = this.isOld ? " old" : "";
    const color = (colors) => (this.isOld ? colors.free : colors.trip);
    drawShape(`puck${suffix}`, (one, colors) => {
      traceCircle(one, 16);
      fillWithHalo(one, colors, color(colors), { outline: 3, blur: 9, drop: 2 });
    });
    if (heading === null) return;
    drawShape(`glyph${suffix}`, (one, colors) => {
      one.translate(0, -0.8);
      traceArrow(one, 9);
      one.fillStyle = colors.halo;
      one.fill();
    }, heading);
  }

  /** Draws the ghost hollow, because it is an estimate. */
  #drawGhost(context, { camera, palette }, { place, heading, alpha }) {
    const end = camera.toScreen(worldOf(place));
    context.save();
    context.globalAlpha = alpha;
    context.setLineDash([2, 5]);
    context.lineCap = "round";
    traceLine(context, [this.drawn, end]);
    strokePath(context, palette.trip, 2);
    context.setLineDash([5, 4]);
    context.translate(end.x, end.y);
    traceCircle(context, 14);
    context.fillStyle = palette.halo;
    context.globalAlpha = alpha * 0.75;
    context.fill();
    context.globalAlpha = alpha;
    context.stroke();
    context.setLineDash([]);
    context.rotate((heading * Math.PI) / 180);
    traceArrow(context, 7);
    context.stroke();
    context.restore();
  }
}

function drawPulse(context, center, fraction, palette) {
  context.save();
  context.globalAlpha = 0.28 * (1 - fraction) ** 1.5;
  context.fillStyle = palette.trip;
  traceCircle(context, 17 + 19 * fraction, center);
  context.fill();
  context.restore();
}
