import { middleLongitude, nearestCopy, worldOf, worldPerMeter } from "./geo.js";

const TILE_PIXELS = 256;
const ZOOM = { lowest: 3, highest: 19 };
const FLIGHT_MS = 700;
const ease = (share) => 1 - (1 - share) ** 3;

/** What part of the world is seen: a centre, a zoom, and a view of which the panel covers a part. */
export class Camera {
  x = 0.5;
  y = 0.5;
  zoom = 3;
  width = 1;
  height = 1;
  /** What is covered at each side, in pixels. The centre of the rest is the centre of the map. */
  insets = { top: 0, right: 0, bottom: 0, left: 0 };
  isStill = false;
  #flight = null;
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  /** Pixels of the whole world. */
  get scale() {
    return TILE_PIXELS * 2 ** this.zoom;
  }

  get pixelsPerMeter() {
    return this.scale * worldPerMeter(this.y);
  }

  get centerX() {
    return (this.insets.left + this.width - this.insets.right) / 2;
  }

  get centerY() {
    return (this.insets.top + this.height - this.insets.bottom) / 2;
  }

  /** Where a point is on the screen: of its copies around the world the one nearest to the centre. */
  toScreen({ x, y }) {
    return { x: (nearestCopy(this.x, x) - this.x) * this.scale + this.centerX, y: (y - this.y) * this.scale + this.centerY };
  }

  toWorld({ x, y }) {
    return { x: this.x + (x - this.centerX) / this.scale, y: this.y + (y - this.centerY) / this.scale };
  }

  resize(width, height, insets) {
    Object.assign(this, { width, height, insets });
    this.#changed();
  }

  panBy(x, y) {
    this.#flight = null;
    this.#set({ x: this.x - x / this.scale, y: this.y - y / this.scale, zoom: this.zoom });
  }

  /** Zooms so that what is under `point` stays there. */
  zoomBy(steps, point = { x: this.centerX, y: this.centerY }) {
    this.#flight = null;
    const under = this.toWorld(point);
    const zoom = limitZoom(this.zoom + steps);
    const scale = TILE_PIXELS * 2 ** zoom;
    this.#set({ x: under.x - (point.x - this.centerX) / scale, y: under.y - (point.y - this.centerY) / scale, zoom });
  }

  /** Moves to a target `{ x, y, zoom }`, evenly or slowing down; at once if the reader does not want motion. */
  flyTo(target, now, { durationMs = FLIGHT_MS, isEven = false } = {}) {
    const whole = { x: this.x, y: this.y, zoom: this.zoom, ...target };
    whole.x = nearestCopy(this.x, whole.x);
    if (this.isStill || durationMs === 0) {
      this.#flight = null;
      this.#set(whole);
      return;
    }
    this.#flight = { from: { x: this.x, y: this.y, zoom: this.zoom }, to: whole, beganAt: now, durationMs, isEven };
    this.#changed();
  }

  /** Zooms in flight, as a key or button does. */
  zoomTo(steps, now) {
    const zoom = limitZoom(Math.round((this.#flight?.to.zoom ?? this.zoom) * 2) / 2 + steps);
    this.flyTo({ zoom }, now, { durationMs: 220 });
  }

  /** Goes on with a flight; whether it is still under way. */
  step(now) {
    if (!this.#flight) return false;
    const { from, to, beganAt, durationMs, isEven } = this.#flight;
    const share = Math.min(1, Math.max(0, (now - beganAt) / durationMs));
    const eased = isEven ? share : ease(share);
    const mix = (key) => from[key] + (to[key] - from[key]) * eased;
    if (share === 1) this.#flight = null;
    this.#set({ x: mix("x"), y: mix("y"), zoom: mix("zoom") });
    return share < 1;
  }

  /** The target that shows all places; `null` without any. */
  targetFor(places, { marginPixels = 56, highestZoom = 16.5 } = {}) {
    if (places.length === 0) return null;
    const points = places.map(worldOf);
    const middle = worldOf({ latitude: 0, longitude: middleLongitude(places) }).x;
    const [xs, ys] = [points.map(({ x }) => nearestCopy(middle, x)), points.map(({ y }) => y)];
    const [west, east, north, south] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const { top, right, bottom, left } = this.insets;
    const room = (pixels, extent) => Math.max(80, pixels - 2 * marginPixels) / Math.max(extent, 1e-9);
    const scale = Math.min(
      room(this.width - left - right, east - west), room(this.height - top - bottom, south - north));
    const zoom = Math.min(highestZoom, limitZoom(Math.log2(scale / TILE_PIXELS)));
    return { x: (west + east) / 2, y: (north + south) / 2, zoom };
  }

  /** Whether a point of the world is in the middle of what is seen, `share` of its width away from the edges. */
  isComfortable(point, share = 0.15) {
    const { x, y } = this.toScreen(point);
    const { top, right, bottom, left } = this.insets;
    const [marginX, marginY] = [(this.width - left - right) * share, (this.height - top - bottom) * share];
    return x > left + marginX && x < this.width - right - marginX
      && y > top + marginY && y < this.height - bottom - marginY;
  }

  #set({ x, y, zoom }) {
    this.x = x - Math.floor(x);
    this.y = Math.max(0, Math.min(1, y));
    this.zoom = limitZoom(zoom);
    this.#changed();
  }
}

function limitZoom(zoom) {
  return Math.max(ZOOM.lowest, Math.min(ZOOM.highest, zoom));
}
