import { Camera } from "./camera.js";
import { Gestures } from "./gestures.js";
import { readPalette } from "./palette.js";

const HIGHEST_PIXEL_RATIO = 3;

/**
 * The map: two canvases over each other, drawn only when something changed.
 *
 * A layer has `draw(context, frame)`, which returns whether it is still moving. Base layers are drawn again when the
 * camera moves or `invalidateBase()` is called; overlay layers in each frame.
 */
export class MapCanvas {
  camera = new Camera(() => this.invalidateBase());
  baseLayers = [];
  overlayLayers = [];
  /** Called after each frame with its time. */
  onFrame = () => {};
  onClick = () => {};
  onHover = () => {};
  onFit = () => {};
  /** Whether the reader moved the map since it was last fitted. */
  isTaken = false;
  #element;
  #panel;
  #contexts;
  #palette = readPalette();
  #isBaseOld = true;
  #isFrameAsked = false;
  #pixelRatio = 1;

  constructor(element, panel) {
    this.#element = element;
    this.#panel = panel;
    this.#contexts = ["base", "overlay"].map((id) => element.querySelector(`#${id}`).getContext("2d"));
    new Gestures(element, this.camera, {
      moved: () => { this.isTaken = true; },
      clicked: (point) => this.onClick(point),
      hovered: (point) => this.onHover(point),
      fit: () => this.fit(),
    });
    new ResizeObserver(() => this.resize()).observe(element);
    new ResizeObserver(() => this.resize()).observe(panel);
    const stillness = matchMedia("(prefers-reduced-motion: reduce)");
    const setStillness = () => { this.camera.isStill = stillness.matches; };
    stillness.addEventListener("change", setStillness);
    setStillness();
    this.resize();
  }

  /** Whether the reader prefers no motion: markers then step instead of gliding. */
  get isStill() {
    return this.camera.isStill;
  }

  fit() {
    this.isTaken = false;
    this.onFit();
  }

  resize() {
    const { width, height } = this.#element.getBoundingClientRect();
    const ratio = Math.min(devicePixelRatio || 1, HIGHEST_PIXEL_RATIO);
    for (const { canvas } of this.#contexts) {
      const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows });
    }
    this.#pixelRatio = ratio;
    this.camera.resize(width, height, this.#insets(width, height));
  }

  /** What is covered: by the panel the left side of a wide page or the bottom of a phone, by the controls the right. */
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

  /** Reads the colours anew, after the theme changed. */
  repaint() {
    this.#palette = readPalette();
    this.invalidateBase();
  }

  invalidateBase() {
    this.#isBaseOld = true;
    this.invalidate();
  }

  /** Asks for a frame. */
  invalidate() {
    if (this.#isFrameAsked) return;
    this.#isFrameAsked = true;
    requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now) {
    this.#isFrameAsked = false;
    let isMoving = this.camera.step(now);
    const frame = {
      now, camera: this.camera, palette: this.#palette, pixelRatio: this.#pixelRatio, isStill: this.isStill,
    };
    const [base, overlay] = this.#contexts;
    if (this.#isBaseOld) {
      this.#isBaseOld = false;
      isMoving = this.#drawLayers(base, this.baseLayers, frame) || isMoving;
    }
    isMoving = this.#drawLayers(overlay, this.overlayLayers, frame) || isMoving;
    this.onFrame(now);
    if (isMoving || this.#isBaseOld) this.invalidate();
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
