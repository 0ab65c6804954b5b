import { element, markPicture, setAttributes, setText } from "./elements.js";
import { directionName } from "./geo.js";
import { duration, signalWords, speed, standingText } from "./words.js";

/** From the first risk on a driver is suspect, from the second, if it lasts, flagged. The defaults of the settings. */
const THRESHOLDS = [0.7, 0.95];

/** One driver: what the vehicle does, and what speaks against its positions. */
export class DriverDetail {
  #parts = {};

  #tripLink;

  constructor({ closed, followed, tripLink }) {
    this.#tripLink = tripLink;
    const part = (name, tag, attributes = {}, ...children) => {
      this.#parts[name] = element(tag, attributes, ...children);
      return this.#parts[name];
    };
    const fact = (name, label) => element("div", {}, element("dt", {}, label), part(name, "dd"));
    this.element = element("section", { class: "detail", id: "detail", "aria-label": "Driver" },
      part("back", "button", { type: "button", class: "back", click: closed }, "‹ All vehicles"),
      element("h1", { tabindex: "-1" }, part("mark", "span"), part("name", "span")),
      part("standing", "p", { class: "standing" }),
      element("dl", { class: "facts" },
        fact("trip", "Trip"), fact("speed", "Speed"), fact("heading", "Heading"), fact("age", "Last fix")),
      element("h2", {}, "Risk", part("figure", "span")),
      part("risk", "div", {
        class: "risk", role: "meter", "aria-label": "Risk", "aria-valuemin": "0", "aria-valuemax": "1",
      }),
      part("why", "ul", { class: "why", "aria-label": "Signals" }),
      part("trail", "p", { class: "quiet" }),
      part("rider", "a", { class: "action", target: "_blank", hidden: "" }, "What the rider sees"),
      part("follow", "button", { type: "button", class: "action", "aria-pressed": "false", click: followed }));
    this.#parts.bar = element("i");
    this.#parts.risk.append(this.#parts.bar, ...THRESHOLDS.map((threshold) => {
      const line = element("b", { title: `Threshold ${threshold}` });
      line.style.left = `${threshold * 100}%`;
      return line;
    }));
  }

  focus() {
    this.element.querySelector("h1").focus();
  }

  render({ mark, driver }, { now, trail, isFollowed }) {
    const parts = this.#parts;
    setAttributes(this.element, { "data-driver": driver.driver_id, "data-points": trail?.points.length ?? null });
    if (parts.mark.dataset.mark !== mark) {
      parts.mark.dataset.mark = mark;
      parts.mark.replaceChildren(markPicture(mark));
    }
    setText(parts.name, driver.driver_id);
    setText(parts.standing, standingText(driver));
    setText(parts.trip, driver.trip_id ?? "Free");
    parts.rider.hidden = !driver.trip_id;
    if (driver.trip_id) setAttributes(parts.rider, { href: this.#tripLink(driver.trip_id) });
    setAttributes(parts.trip, { title: parts.trip.textContent });
    setText(parts.speed, speed(driver.speed_mps));
    setText(parts.heading, course(driver.heading));
    setText(parts.age, `${duration(Math.max(0, now - driver.fixed_at))} ago`);
    // Drivers that an earlier release wrote have no risk.
    const risk = driver.risk ?? 0;
    setText(parts.figure, driver.risk === null ? "not known" : risk.toFixed(2));
    parts.bar.style.width = `${Math.round(risk * 100)}%`;
    setAttributes(parts.risk, { "data-mark": mark, "aria-valuenow": risk.toFixed(2) });
    this.#renderSignals(driver.signals);
    setText(parts.trail, trailText(trail, now));
    setAttributes(parts.follow, { "aria-pressed": String(isFollowed) });
    setText(parts.follow, isFollowed ? "Stop following" : "Follow on the map");
  }

  #renderSignals(signals) {
    const { why } = this.#parts;
    const key = signals.join(" ");
    if (why.dataset.signals === key) return;
    why.dataset.signals = key;
    why.replaceChildren(...signals.map((code) => {
      const { name, meaning } = signalWords(code);
      return element("li", { "data-signal": code }, element("strong", {}, name), element("span", {}, meaning));
    }));
  }
}

function course(heading) {
  return heading === null ? "–" : directionName(heading);
}

function trailText(trail, now) {
  if (!trail) return "Fetching the trail …";
  if (trail.problem) return "The trail cannot be fetched at the moment.";
  const oldest = trail.points.at(-1);
  if (!oldest) return "There is no trail yet.";
  return `The trail shows the last ${trail.points.length} fixes, of ${duration(Math.max(0, now - oldest.fixed_at))}.`;
}
