const DRAG_PIXELS = 24;

/** Makes the panel a bottom sheet on phones: clicking or dragging its handle expands or collapses it. */
export function makeSheet(panel, handle) {
  let start = null;
  let wasDragged = false;
  const set = (isLow) => {
    panel.dataset.sheet = isLow ? "low" : "high";
    handle.setAttribute("aria-expanded", String(!isLow));
  };
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    start = event.clientY;
    wasDragged = false;
  });
  handle.addEventListener("pointermove", ({ clientY }) => {
    if (start === null || Math.abs(clientY - start) < DRAG_PIXELS) return;
    set(clientY > start);
    start = clientY;
    wasDragged = true;
  });
  for (const name of ["pointerup", "pointercancel"]) handle.addEventListener(name, () => { start = null; });
  handle.addEventListener("click", () => {
    if (!wasDragged) set(panel.dataset.sheet !== "low");
    wasDragged = false;
  });
  set(false);
}
