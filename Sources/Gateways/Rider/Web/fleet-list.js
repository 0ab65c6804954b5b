import { element, markPicture, setAttributes, setText } from "./elements.js";
import { duration } from "./words.js";

/** Maximum number of rows; the number of further vehicles is shown below them. */
const MAX_ROWS = 300;

/** List of vehicles, which makes the map accessible by keyboard and screen reader. */
export class VehicleList {
  #rows = new Map();
  #more = element("li", { class: "more" });
  #order = "";
  #options;

  /**
   * @param {object} options `onSelect(id)`; `compare(a, b)` sorts the vehicles; `describe(vehicle, now)` returns a
   * row's `{ name, fixedAt, what, place }`; `emptyText` is shown without vehicles, `moreText` after the number of
   * vehicles that have no row.
   */
  constructor(options) {
    this.#options = options;
    this.element = element("ul", { id: "vehicles", class: "vehicles fold", "aria-label": "Vehicles" });
    this.element.addEventListener("click", ({ target }) => {
      const row = target.closest("li[data-driver]");
      if (row) options.onSelect(row.dataset.driver);
    });
    this.element.addEventListener("keydown", (event) => this.#step(event));
  }

  #step(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...this.element.querySelectorAll("button")];
    buttons[buttons.indexOf(document.activeElement) + step]?.focus();
    event.preventDefault();
  }

  render(vehicles, now) {
    const sorted = [...vehicles].sort(this.#options.compare);
    const shown = sorted.slice(0, MAX_ROWS);
    this.#arrange(shown);
    for (const vehicle of shown) this.#fill(this.#rows.get(vehicle.id), vehicle, now);
    const left = sorted.length - shown.length;
    const text = left > 0 ? `and ${left} more${this.#options.moreText ?? ""}` : this.#options.emptyText ?? "";
    setText(this.#more, text);
    this.#more.hidden = !text || (left === 0 && shown.length > 0);
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
    shown.forEach(({ id, mark }, index) => {
      if (!this.#rows.has(id)) this.#rows.set(id, makeRow(id, mark));
      const { item } = this.#rows.get(id);
      const { children } = this.element;
      if (children[index] !== item) this.element.insertBefore(item, children[index] ?? null);
    });
    this.element.append(this.#more);
    if (focused !== document.activeElement && this.element.contains(focused)) focused.focus();
  }

  #fill(row, vehicle, now) {
    const { mark, drawn } = vehicle;
    if (row.mark !== mark) {
      row.mark = mark;
      row.item.querySelector("svg").replaceWith(markPicture(mark));
    }
    const { name, fixedAt, what, place: { latitude, longitude } } = this.#options.describe(vehicle, now);
    setText(row.name, name);
    setText(row.age, duration(Math.max(0, now - fixedAt)));
    setText(row.what, what);
    setAttributes(row.item, {
      "data-mark": mark, "data-latitude": latitude, "data-longitude": longitude,
      "data-x": drawn?.x.toFixed(1), "data-y": drawn?.y.toFixed(1),
    });
  }
}

/** Creates a vehicle's row: `item` for the list, and the elements whose contents change. */
function makeRow(id, mark) {
  const [name, age, what] = [element("strong"), element("span", { class: "age" }), element("span", { class: "what" })];
  const button = element("button", { type: "button" }, markPicture(mark), name, age, what);
  return { item: element("li", { "data-driver": id }, button), mark, name, age, what };
}
