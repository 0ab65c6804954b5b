import { nearestCopy, worldOf, worldPerMeter } from "./geo.js";

/** Path units per width of the world. Paths are relative to `#origin`, so 32-bit coordinates are precise enough. */
const UNITS = 2 ** 24;
const CLASSES = ["side", "arterial", "express"];
const WIDTH_METERS = { side: 8, arterial: 14, express: 20 };
const MIN_PIXELS = { side: 0.8, arterial: 2, express: 2.8 };
const MIN_ZOOM = { side: 12, arterial: 10, express: 0 };
const CASING_ZOOM = 14;

/** Background of a map without tiles: streets and water from `/map/streets.json`. */
export class StreetsLayer {
  #origin = null;
  #streets = new Map();
  #water = [];
  /** The end points of all streets, for the initial view. */
  extent = [];

  /**
   * @param {object} streets `lines`: each an array of [latitude, longitude]; optional `classes`: for each line `side`,
   * `arterial` or `express`; optional `water`: each `{ line, width_meters }`.
   */
  constructor({ lines = [], classes = [], water = [] } = {}) {
    const first = lines[0]?.[0] ?? water[0]?.line[0];
    if (!first) return;
    this.#origin = worldOf({ latitude: first[0], longitude: first[1] });
    for (const name of CLASSES) this.#streets.set(name, new Path2D());
    lines.forEach((line, index) => {
      const name = CLASSES.includes(classes[index]) ? classes[index] : "side";
      this.#trace(this.#streets.get(name), line);
      this.extent.push(...[line[0], line.at(-1)].map(([latitude, longitude]) => ({ latitude, longitude })));
    });
    this.#water = water.map(({ line, width_meters: widthMeters }) => {
      const path = new Path2D();
      this.#traceBends(path, line);
      return { path, widthMeters };
    });
  }

  #points(line) {
    return line.map(([latitude, longitude]) => {
      const { x, y } = worldOf({ latitude, longitude });
      return [(nearestCopy(this.#origin.x, x) - this.#origin.x) * UNITS, (y - this.#origin.y) * UNITS];
    });
  }

  #trace(path, line) {
    this.#points(line).forEach(([x, y], index) => (index === 0 ? path.moveTo(x, y) : path.lineTo(x, y)));
  }

  #traceBends(path, line) {
    const points = this.#points(line);
    path.moveTo(...points[0]);
    points.slice(1, -1).forEach(([x, y], index) => {
      const [nextX, nextY] = points[index + 2];
      path.quadraticCurveTo(x, y, (x + nextX) / 2, (y + nextY) / 2);
    });
    path.lineTo(...points.at(-1));
  }

  draw(context, { camera, palette }) {
    context.fillStyle = palette.land;
    context.fillRect(0, 0, camera.width, camera.height);
    if (!this.#origin) return false;
    const { x, y } = camera.toScreen(this.#origin);
    const zoom = camera.scale / UNITS;
    const pixelsPerMeter = camera.scale * worldPerMeter(this.#origin.y);
    context.translate(x, y);
    context.scale(zoom, zoom);
    context.lineJoin = context.lineCap = "round";
    const stroke = (path, color, pixels) => {
      context.strokeStyle = color;
      context.lineWidth = pixels / zoom;
      context.stroke(path);
    };
    for (const { path, widthMeters } of this.#water) {
      stroke(path, palette.water, Math.max(2, widthMeters * pixelsPerMeter));
    }
    const shown = CLASSES.filter((name) => camera.zoom >= MIN_ZOOM[name]);
    const pixels = (name) => Math.max(MIN_PIXELS[name], WIDTH_METERS[name] * pixelsPerMeter);
    if (camera.zoom >= CASING_ZOOM) {
      for (const name of shown) stroke(this.#streets.get(name), palette[`${name}-casing`], pixels(name) + 2);
    }
    for (const name of shown) stroke(this.#streets.get(name), palette[name], pixels(name));
    return false;
  }
}
