const DRAG_PIXELS = 24;

/** On a phone the panel is a sheet: its handle, pressed or dragged, shows or hides what is below the fold. */
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
