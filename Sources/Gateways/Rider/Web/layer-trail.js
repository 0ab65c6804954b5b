import { worldOf } from "./geo.js";
import { strokePath, traceCircle, traceLine } from "./shapes.js";

/** A driver's trail: a line that fades with age, with a dot for each fix. */
export class TrailLayer {
  #world = [];
  color = "trip";

  /** @param {object[]} points `{ lat, lon }`, newest first. */
  set points(points) {
    this.#world = points.map(({ lat, lon }) => worldOf({ latitude: lat, longitude: lon }));
  }

  /** Adds a point if it differs from the newest point. */
  add(place) {
    const point = worldOf(place);
    const newest = this.#world[0];
    if (newest && newest.x === point.x && newest.y === point.y) return;
    this.#world.unshift(point);
  }

  draw(context, { camera, palette }) {
    const points = this.#world.map((point) => camera.toScreen(point));
    context.lineCap = "round";
    context.fillStyle = palette[this.color];
    const fade = (index) => 0.85 * (1 - index / (points.length + 1));
    for (let index = 0; index + 1 < points.length; index += 1) {
      context.globalAlpha = fade(index);
      traceLine(context, points.slice(index, index + 2));
      strokePath(context, palette[this.color], 3);
    }
    points.forEach((point, index) => {
      context.globalAlpha = fade(index);
      traceCircle(context, 2.6, point);
      context.fill();
    });
    return false;
  }
}
