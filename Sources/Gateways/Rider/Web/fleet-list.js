import { element, markPicture, setAttributes, setText } from "./elements.js";
import { duration, signalText, speed } from "./words.js";

/** Maximum number of rows; the number of further vehicles is shown below them. */
const MAX_ROWS = 300;
const RANK = { flagged: 0, suspect: 1, trip: 2, free: 3 };
const NUMBERS = new Intl.Collator(undefined, { numeric: true });

/** List of vehicles, which makes the map accessible by keyboard and screen reader. */
export class FleetList {
  #rows = new Map();
  #more = element("li", { class: "more" });
  #order = "";

  constructor(onSelect) {
    this.element = element("ul", { id: "vehicles", class: "vehicles fold", "aria-label": "Vehicles" });
    this.element.addEventListener("click", ({ target }) => {
      const row = target.closest("li[data-driver]");
      if (row) onSelect(row.dataset.driver);
    });
    this.element.addEventListener("keydown", (event) => this.#step(event));
  }

  /** Moves the focus between rows with the arrow keys. */
  #step(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...this.element.querySelectorAll("button")];
    buttons[buttons.indexOf(document.activeElement) + step]?.focus();
    event.preventDefault();
  }

  /** @param {object[]} vehicles the vehicles that match the filter. */
  render(vehicles, { now, selected }) {
    const sorted = [...vehicles].sort((a, b) => RANK[a.mark] - RANK[b.mark] || NUMBERS.compare(a.id, b.id));
    const shown = sorted.slice(0, MAX_ROWS);
    this.#arrange(shown);
    for (const vehicle of shown) this.#fill(this.#rows.get(vehicle.id), vehicle, now, selected);
    const left = sorted.length - shown.length;
    setText(this.#more, left > 0 ? `and ${left} more; use the filter to find them` : "No matching vehicles.");
    this.#more.hidden = left === 0 && shown.length > 0;
  }

  /** Adds, removes and moves rows only if the order changed, to keep the focus. */
  #arrange(shown) {
    const order = shown.map(({ id }) => id).join(" ");
    if (order === this.#order && this.#more.isConnected) return;
    this.#order = order;
    const kept = new Set(shown.map(({ id }) => id));
    for (const [id, row] of this.#rows) {
      if (kept.has(id)) continue;
      row.item.remove();
      this.#rows.delete(id);
    }
    const focused = document.activeElement;
    shown.forEach(({ id }, index) => {
      if (!this.#rows.has(id)) this.#rows.set(id, makeRow(id, "free"));
      placeItem(this.element, this.#rows.get(id).item, index);
    });
    this.element.append(this.#more);
    if (focused !== document.activeElement && this.element.contains(focused)) focused.focus();
  }

  #fill(row, { mark, driver, drawn }, now, selected) {
    if (row.mark !== mark) {
      row.mark = mark;
      row.item.querySelector("svg").replaceWith(markPicture(mark));
    }
    const place = { latitude: driver.lat, longitude: driver.lon };
    fillRow(row, { name: driver.driver_id, ageMs: now - driver.fixed_at, what: description(mark, driver), place, drawn });
    setAttributes(row.button, { "aria-current": driver.driver_id === selected ? "true" : null });
    setAttributes(row.item, { "data-mark": mark });
  }
}

/** Creates a vehicle's row: `item` for the list, and the elements whose contents change. */
export function makeRow(id, mark) {
  const [name, age, what] = [element("strong"), element("span", { class: "age" }), element("span", { class: "what" })];
  const button = element("button", { type: "button" }, markPicture(mark), name, age, what);
  return { item: element("li", { "data-driver": id }, button), button, name, age, what };
}

export function fillRow(row, { name, ageMs, what, place: { latitude, longitude }, drawn }) {
  setText(row.name, name);
  setText(row.age, duration(Math.max(0, ageMs)));
  setText(row.what, what);
  setAttributes(row.item, {
    "data-latitude": latitude, "data-longitude": longitude,
    "data-x": drawn?.x.toFixed(1), "data-y": drawn?.y.toFixed(1),
  });
}

/** Moves an item of a list to `index` if it is elsewhere. */
export function placeItem(list, item, index) {
  if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
}

function description(mark, { trip_id: trip, speed_mps: mps, signals }) {
  const doing = trip ?? "free";
  if (mark === "trip" || mark === "free") return `${doing} · ${speed(mps)}`;
  const names = signals.map((code) => signalText(code).name.toLowerCase()).join(", ");
  return `${mark === "flagged" ? "Flagged" : "Suspect"}${names ? `: ${names}` : ""}`;
}
