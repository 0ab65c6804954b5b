import { Camera } from "./camera.js";
import { handleGestures } from "./gestures.js";

const MAX_PIXEL_RATIO = 3;
/** The map's colours: `--map-…` properties of theme.css. */
const COLORS = [
  "land", "water", "side", "arterial", "express", "side-casing", "arterial-casing", "express-casing", "route-done",
  "halo", "label", "trip", "free", "suspect", "flagged", "shadow",
];

/**
 * The map: two stacked canvases, drawn only after a change.
 *
 * A layer has `draw(context, frame)`, which returns whether it is still moving. Base layers are redrawn when the camera
 * moves or after `invalidateBase()`, overlay layers in each frame.
 */
export class MapCanvas {
  camera = new Camera(() => this.invalidateBase());
  baseLayers = [];
  overlayLayers = [];
  onFrame = () => {};
  onClick = () => {};
  onHover = () => {};
  onFit = () => {};
  /** Whether the user moved the map after it was last fitted. */
  isMovedByUser = false;
  #element;
  #panel;
  #contexts;
  #palette = readPalette();
  #isBaseDirty = true;
  #isFrameRequested = false;
  #pixelRatio = 1;

  constructor(element, panel) {
    this.#element = element;
    this.#panel = panel;
    this.#contexts = ["base", "overlay"].map((id) => element.querySelector(`#${id}`).getContext("2d"));
    handleGestures(element, this.camera, {
      onMove: () => { this.isMovedByUser = true; },
      onClick: (point) => this.onClick(point),
      onHover: (point) => this.onHover(point),
      onFit: () => this.fit(),
    });
    new ResizeObserver(() => this.resize()).observe(element);
    new ResizeObserver(() => this.resize()).observe(panel);
    const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
    const readReducedMotion = () => { this.camera.isMotionReduced = reducedMotion.matches; };
    reducedMotion.addEventListener("change", readReducedMotion);
    readReducedMotion();
    this.resize();
  }

  fit() {
    this.isMovedByUser = false;
    this.onFit();
  }

  /** Moves the camera to show places; returns `false` if there are none. Options: see `targetFor` and `flyTo`. */
  show(places, { durationMs, ...fitting } = {}) {
    const target = this.camera.targetFor(places, fitting);
    if (!target) return false;
    document.getElementById("page").dataset.fitted = "true";
    this.camera.flyTo(target, performance.now(), { durationMs });
    return true;
  }

  resize() {
    const { width, height } = this.#element.getBoundingClientRect();
    const ratio = Math.min(devicePixelRatio || 1, MAX_PIXEL_RATIO);
    for (const { canvas } of this.#contexts) {
      const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows });
    }
    this.#pixelRatio = ratio;
    this.camera.resize(width, height, this.#insets(width, height));
  }

  /** Returns the covered pixels: the panel covers the left side (on a phone the bottom), the controls the right. */
  #insets(width, height) {
    const panel = this.#panel.getBoundingClientRect();
    const isSheet = panel.width > width * 0.8;
    return {
      top: 0,
      right: 60,
      bottom: isSheet ? Math.min(panel.height, height * 0.7) : 0,
      left: isSheet ? 0 : panel.right,
    };
  }

  /** Reads the colours again after a change of theme. */
  repaint() {
    this.#palette = readPalette();
    this.invalidateBase();
  }

  invalidateBase() {
    this.#isBaseDirty = true;
    this.invalidate();
  }

  invalidate() {
    if (this.#isFrameRequested) return;
    this.#isFrameRequested = true;
    requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now) {
    this.#isFrameRequested = false;
    let isMoving = this.camera.step(now);
    const frame = {
      now, camera: this.camera, palette: this.#palette, pixelRatio: this.#pixelRatio,
      isMotionReduced: this.camera.isMotionReduced,
    };
    const [base, overlay] = this.#contexts;
    if (this.#isBaseDirty) {
      this.#isBaseDirty = false;
      isMoving = this.#drawLayers(base, this.baseLayers, frame) || isMoving;
    }
    isMoving = this.#drawLayers(overlay, this.overlayLayers, frame) || isMoving;
    this.onFrame(now);
    if (isMoving || this.#isBaseDirty) this.invalidate();
  }

  #drawLayers(context, layers, frame) {
    context.setTransform(this.#pixelRatio, 0, 0, this.#pixelRatio, 0, 0);
    context.clearRect(0, 0, this.camera.width, this.camera.height);
    let isMoving = false;
    for (const layer of layers) {
      context.save();
      isMoving = layer.draw(context, frame) || isMoving;
      context.restore();
    }
    return isMoving;
  }
}

function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const palette = Object.fromEntries(COLORS.map((name) => [name, style.getPropertyValue(`--map-${name}`).trim()]));
  palette.font = style.getPropertyValue("--font").trim();
  return palette;
}
