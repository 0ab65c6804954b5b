const PAN_KEYS = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const ZOOM_KEYS = { "+": 1, "=": 1, "-": -1, _: -1 };
const PAN_PIXELS = 90;
/** Movement of a pointer, in pixels, below which a press is a click. */
const CLICK_PIXELS = 6;
const ZOOM_PER_WHEEL_PIXEL = 1 / 240;

/**
 * Handles pointers, wheel and keys on the map. Calls `onMove()` when the user moves the map, `onClick(point)` and
 * `onHover(point)` with the pointer's pixel, and `onFit()` for the keys 0 and Home.
 */
export function handleGestures(element, camera, { onMove, onClick, onHover, onFit }) {
  const pointers = new Map();
  let travelled = 0;

  /** Pans with one pointer, pans and zooms with two; returns whether the map moved. */
  const drag = (id, point) => {
    const before = [...pointers.values()];
    const last = pointers.get(id);
    travelled += Math.hypot(point.x - last.x, point.y - last.y);
    pointers.set(id, point);
    if (travelled < CLICK_PIXELS) return false;
    const after = [...pointers.values()];
    if (after.length === 1) {
      camera.panBy(point.x - last.x, point.y - last.y);
      return true;
    }
    const [middleBefore, spanBefore] = spread(before);
    const [middle, span] = spread(after);
    camera.panBy(middle.x - middleBefore.x, middle.y - middleBefore.y);
    if (spanBefore > 0 && span > 0) camera.zoomBy(Math.log2(span / spanBefore), middle);
    return true;
  };
  const pointOf = ({ clientX, clientY }) => {
    const { left, top } = element.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    if (pointers.size === 0) travelled = 0;
    pointers.set(event.pointerId, pointOf(event));
  });
  element.addEventListener("pointermove", (event) => {
    const point = pointOf(event);
    if (!pointers.has(event.pointerId)) {
      if (event.pointerType === "mouse") onHover(point);
      return;
    }
    if (drag(event.pointerId, point)) onMove();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    element.addEventListener(name, (event) => {
      if (!pointers.delete(event.pointerId)) return;
      const isClick = name === "pointerup" && pointers.size === 0 && travelled < CLICK_PIXELS;
      if (isClick) onClick(pointOf(event));
    });
  }
  element.addEventListener("dblclick", (event) => {
    camera.zoomBy(1, pointOf(event));
    onMove();
  });
  element.addEventListener("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1) * (event.ctrlKey ? 4 : 1);
    camera.zoomBy(Math.max(-1, Math.min(1, -pixels * ZOOM_PER_WHEEL_PIXEL)), pointOf(event));
    onMove();
  }, { passive: false });
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (PAN_KEYS[event.key]) {
      const [x, y] = PAN_KEYS[event.key];
      camera.panBy(x * PAN_PIXELS, y * PAN_PIXELS);
      onMove();
    } else if (ZOOM_KEYS[event.key]) {
      camera.animateZoomBy(ZOOM_KEYS[event.key], performance.now());
      onMove();
    } else if (event.key === "0" || event.key === "Home") {
      onFit();
    } else {
      return;
    }
    event.preventDefault();
  });
}

function spread([first, second]) {
  const middle = { x: (first.x + second.x) / 2, y: (first.y + second.y) / 2 };
  return [middle, Math.hypot(first.x - second.x, first.y - second.y)];
}
