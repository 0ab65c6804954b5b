import { element, markPicture, partMaker, setAttributes, setText } from "./elements.js";
import { directionName } from "./geo.js";
import { duration, riskText, signalText, speed } from "./words.js";

/** Default risk thresholds: suspect, and flagged if the risk persists. */
const THRESHOLDS = [0.7, 0.95];

export class DriverDetail {
  #parts = {};
  #tripLink;

  constructor({ onClose, onFollow, tripLink }) {
    this.#tripLink = tripLink;
    const part = partMaker(this.#parts);
    const fact = (name, label) => element("div", {}, element("dt", {}, label), part(name, "dd"));
    this.element = element("section", { class: "detail", id: "detail", "aria-label": "Driver" },
      part("back", "button", { type: "button", class: "back", click: onClose }, "‹ All vehicles"),
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
      part("rider", "a", { class: "action", target: "_blank", hidden: "" }, "Show the rider's view"),
      part("follow", "button", { type: "button", class: "action", "aria-pressed": "false", click: onFollow }));
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
    setText(parts.standing, riskText(driver));
    setText(parts.trip, driver.trip_id ?? "Free");
    parts.rider.hidden = !driver.trip_id;
    if (driver.trip_id) setAttributes(parts.rider, { href: this.#tripLink(driver.trip_id) });
    setAttributes(parts.trip, { title: parts.trip.textContent });
    setText(parts.speed, speed(driver.speed_mps));
    setText(parts.heading, driver.heading === null ? "–" : directionName(driver.heading));
    setText(parts.age, `${duration(Math.max(0, now - driver.fixed_at))} ago`);
    // `driver.risk` is `null` for drivers that an earlier release stored.
    const risk = driver.risk ?? 0;
    setText(parts.figure, driver.risk === null ? "unknown" : risk.toFixed(2));
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
      const { name, meaning } = signalText(code);
      return element("li", { "data-signal": code }, element("strong", {}, name), element("span", {}, meaning));
    }));
  }
}

function trailText(trail, now) {
  if (!trail) return "Loading the trail …";
  if (trail.problem) return "The trail could not be loaded.";
  const oldest = trail.points.at(-1);
  if (!oldest) return "No trail yet.";
  return `Trail: the last ${trail.points.length} fixes, over ${duration(Math.max(0, now - oldest.fixed_at))}.`;
}
