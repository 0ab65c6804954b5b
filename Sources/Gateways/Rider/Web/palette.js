/** The map's colours: `--map-…` properties of theme.css. */
const NAMES = [
  "land", "water", "side", "arterial", "express", "side-casing", "arterial-casing", "express-casing", "route",
  "route-casing", "route-done", "halo", "label", "ink", "trip", "free", "suspect", "flagged", "shadow",
];

export function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const palette = Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--map-${name}`).trim()]));
  palette.font = style.getPropertyValue("--font").trim();
  return palette;
}
