import { middleLongitude, nearestCopy, worldOf, worldPerMeter } from "./geo.js";

const TILE_PIXELS = 256;
const ZOOM = { min: 3, max: 19 };
const FLIGHT_MS = 700;
const ease = (fraction) => 1 - (1 - fraction) ** 3;

/** The visible part of the world: a centre, a zoom, and a viewport partly covered by the panel. */
export class Camera {
  x = 0.5;
  y = 0.5;
  zoom = 3;
  width = 1;
  height = 1;
  /** Covered pixels at each side. The map's centre is the centre of the uncovered area. */
  insets = { top: 0, right: 0, bottom: 0, left: 0 };
  isMotionReduced = false;
  #flight = null;
  #onChange;

  constructor(onChange) {
    this.#onChange = onChange;
  }

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

  /** Converts a point of the world to pixels. The world repeats; the point's copy nearest to the centre is used. */
  toScreen({ x, y }) {
    return {
      x: (nearestCopy(this.x, x) - this.x) * this.scale + this.centerX,
      y: (y - this.y) * this.scale + this.centerY,
    };
  }

  toWorld({ x, y }) {
    return { x: this.x + (x - this.centerX) / this.scale, y: this.y + (y - this.centerY) / this.scale };
  }

  resize(width, height, insets) {
    Object.assign(this, { width, height, insets });
    this.#onChange();
  }

  panBy(x, y) {
    this.#flight = null;
    this.#set({ x: this.x - x / this.scale, y: this.y - y / this.scale, zoom: this.zoom });
  }

  /** Zooms by `steps` levels and keeps `point` (pixels) in place. */
  zoomBy(steps, point = { x: this.centerX, y: this.centerY }) {
    this.#flight = null;
    const under = this.toWorld(point);
    const zoom = limitZoom(this.zoom + steps);
    const scale = TILE_PIXELS * 2 ** zoom;
    this.#set({ x: under.x - (point.x - this.centerX) / scale, y: under.y - (point.y - this.centerY) / scale, zoom });
  }

  /** Moves to `target` (any of x, y, zoom) with an animation, or at once if the user prefers reduced motion. */
  flyTo(target, now, { durationMs = FLIGHT_MS, isLinear = false } = {}) {
    const whole = { x: this.x, y: this.y, zoom: this.zoom, ...target };
    whole.x = nearestCopy(this.x, whole.x);
    if (this.isMotionReduced || durationMs === 0) {
      this.#flight = null;
      this.#set(whole);
      return;
    }
    this.#flight = { from: { x: this.x, y: this.y, zoom: this.zoom }, to: whole, startedAt: now, durationMs, isLinear };
    this.#onChange();
  }

  /** Zooms by `steps` levels with an animation, to a multiple of half a level. */
  animateZoomBy(steps, now) {
    const zoom = limitZoom(Math.round((this.#flight?.to.zoom ?? this.zoom) * 2) / 2 + steps);
    this.flyTo({ zoom }, now, { durationMs: 220 });
  }

  /** Advances the animation; returns whether it continues. */
  step(now) {
    if (!this.#flight) return false;
    const { from, to, startedAt, durationMs, isLinear } = this.#flight;
    const fraction = Math.min(1, Math.max(0, (now - startedAt) / durationMs));
    const eased = isLinear ? fraction : ease(fraction);
    const mix = (key) => from[key] + (to[key] - from[key]) * eased;
    if (fraction === 1) this.#flight = null;
    this.#set({ x: mix("x"), y: mix("y"), zoom: mix("zoom") });
    return fraction < 1;
  }

  /** Returns the target of `flyTo` that shows all places; `null` if there are none. */
  targetFor(places, { marginPixels = 56, maxZoom = 16.5 } = {}) {
    if (places.length === 0) return null;
    const points = places.map(worldOf);
    const middle = worldOf({ latitude: 0, longitude: middleLongitude(places) }).x;
    const [xs, ys] = [points.map(({ x }) => nearestCopy(middle, x)), points.map(({ y }) => y)];
    const [west, east, north, south] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const { top, right, bottom, left } = this.insets;
    const room = (pixels, extent) => Math.max(80, pixels - 2 * marginPixels) / Math.max(extent, 1e-9);
    const scale = Math.min(
      room(this.width - left - right, east - west), room(this.height - top - bottom, south - north));
    const zoom = Math.min(maxZoom, limitZoom(Math.log2(scale / TILE_PIXELS)));
    return { x: (west + east) / 2, y: (north + south) / 2, zoom };
  }

  /** Returns whether a point of the world is farther from the uncovered area's edges than `fraction` of its size. */
  isWellInside(point, fraction = 0.15) {
    const { x, y } = this.toScreen(point);
    const { top, right, bottom, left } = this.insets;
    const [marginX, marginY] = [(this.width - left - right) * fraction, (this.height - top - bottom) * fraction];
    return x > left + marginX && x < this.width - right - marginX
      && y > top + marginY && y < this.height - bottom - marginY;
  }

  #set({ x, y, zoom }) {
    this.x = x - Math.floor(x);
    this.y = Math.max(0, Math.min(1, y));
    this.zoom = limitZoom(zoom);
    this.#onChange();
  }
}

function limitZoom(zoom) {
  return Math.max(ZOOM.min, Math.min(ZOOM.max, zoom));
}
