import { directionName, distanceMeters } from "./geo.js";
import { element, partMaker, setAttributes, setText } from "./elements.js";
import { remaining } from "./trip-model.js";
import {
  CONFIDENCE, STEPS, clockTime, countdown, delayText, distance, duration, intervalText, remainingText, stopName,
  tripTitle,
} from "./words.js";

/** Contents of the panel in the riders' view: one trip. */
export class TripCard {
  #parts = {};

  constructor(content) {
    const part = partMaker(this.#parts);
    const level = part("level", "span", { class: "confidence", "aria-hidden": "true" });
    level.append(...[0, 1, 2].map(() => element("i")));
    content.replaceChildren(part("card", "article", { id: "trip" },
      part("title", "h1", { "aria-live": "polite" }),
      part("eta", "div", { class: "eta", role: "group", "aria-label": "Arrival" },
        part("label", "span", { class: "eta-label" }),
        part("value", "span", { class: "eta-value" }, part("number", "span"), part("unit", "small")),
        part("badge", "span", { class: "badge" }),
        part("detail", "span", { class: "eta-detail" }, level, part("detailText", "span"))),
      part("steps", "ol", { class: "steps", "aria-label": "Trip progress" }),
      part("hint", "p", { class: "hint", role: "status" }),
      element("div", { class: "fold" },
        part("driver", "div", { class: "driver" },
          part("initial", "span", { "aria-hidden": "true" }),
          element("div", {}, part("name", "strong"), part("rating", "em"), part("vehicle", "p")),
          part("plate", "span", { class: "plate" })),
        part("stops", "ol", { class: "stops", "aria-label": "Stops" })),
      part("vehicles", "ul", { id: "vehicles", class: "only-read", "aria-label": "Vehicle" })));
    this.#parts.steps.append(...STEPS.map(([, name]) => element("li", {}, name)));
  }

  /** @param {number} now the server's time in ms since 1970. */
  render(trip, now) {
    setText(this.#parts.title, tripTitle(trip));
    this.#renderEta(trip, now);
    this.#renderSteps(trip);
    this.#renderHint(trip, now);
    this.#renderDriver(trip);
    this.#renderStops(trip, now);
    this.#renderVehicle(trip, now);
    setAttributes(this.#parts.card, {
      "data-state": trip.state, "data-stale": trip.isSilent(now) ? "true" : "false",
      "data-age-seconds": trip.position ? Math.floor(trip.ageMs(now) / 1000) : null,
    });
  }

  #renderEta(trip, now) {
    const { eta, label, number, unit, badge, detail, detailText, level } = this.#parts;
    const stop = trip.nextStop;
    const rest = remaining(stop, now);
    eta.hidden = !stop;
    document.title = pageTitle(stop, rest);
    if (!stop) return;
    const [figure, measure] = rest ? countdown(rest.seconds) : ["No arrival time available", ""];
    setText(label, rest && measure ? `${stopName(stop)} in` : stopName(stop));
    setText(number, figure);
    setText(unit, measure);
    const delay = delayText(stop);
    badge.hidden = !rest || !delay;
    setText(badge, delay ?? "");
    const interval = rest?.interval ? intervalText(rest.interval) : "";
    const words = rest && [
      measure && `about ${clockTime(rest.arrivesAt)}`, measure && interval, CONFIDENCE[stop.confidence],
    ];
    detail.hidden = !rest;
    setText(detailText, (words || []).filter(Boolean).join(" · "));
    setAttributes(level, { "data-level": stop.confidence });
    setAttributes(badge, { "data-delay": stop.delay });
    setAttributes(eta, {
      "data-quiet": !rest, "data-old": trip.eta.is_stale || trip.isSilent(now), "data-stop": stop.stop_id,
      "data-eta-seconds": rest ? Math.round(rest.seconds) : null,
    });
  }

  #renderSteps({ state }) {
    const { steps } = this.#parts;
    const current = STEPS.findIndex(([step]) => step === state);
    steps.hidden = state === "CANCELLED";
    [...steps.children].forEach((item, index) => {
      const isDone = index < current || state === "COMPLETED";
      setAttributes(item, {
        "data-step": isDone ? "done" : index === current ? "now" : "ahead",
        "aria-current": index === current ? "step" : null,
      });
    });
  }

  #renderHint(trip, now) {
    const { hint } = this.#parts;
    const isSilent = trip.isSilent(now);
    const hasArrived = !isSilent && trip.change?.context?.detected_arrival && trip.state === "ACCEPTED";
    hint.hidden = !isSilent && !hasArrived;
    if (hasArrived) setText(hint, "The vehicle seems to be waiting at the pickup.");
    if (!isSilent) return;
    const explanation = trip.ghost(now) ? " The hollow marker shows its estimated position." : "";
    setText(hint, `Last updated ${duration(trip.ageMs(now))} ago.${explanation}`);
  }

  #renderDriver({ facts }) {
    const { driver: row, initial, name, rating, vehicle: line, plate } = this.#parts;
    const driver = facts?.driver;
    const vehicle = facts?.vehicle ?? driver?.vehicle;
    row.hidden = !driver && !vehicle;
    if (row.hidden) return;
    const person = String(driver?.first_name ?? "Your driver");
    setText(initial, person.slice(0, 1).toUpperCase());
    setText(name, person);
    setText(rating, driver?.rating ? `★ ${driver.rating}` : "");
    const words = [vehicle?.color, vehicle?.make, vehicle?.model].filter(Boolean).join(" ");
    setText(line, words.slice(0, 1).toUpperCase() + words.slice(1));
    setText(plate, vehicle?.license_plate ?? "");
    plate.hidden = !vehicle?.license_plate;
  }

  #renderStops(trip, now) {
    const { stops } = this.#parts;
    stops.hidden = trip.isEnded || trip.stops.length === 0;
    while (stops.children.length > trip.stops.length) stops.lastChild.remove();
    trip.stops.forEach((stop, index) => {
      const item = stops.children[index] ?? stops.appendChild(element("li", {}, element("span"), element("span")));
      setAttributes(item, { "data-stop": stop.stop_id, "data-status": stop.status });
      setText(item.firstChild, stopName(stop));
      setText(item.lastChild, stopTime(stop, now));
    });
  }

  #renderVehicle(trip, now) {
    const { vehicles } = this.#parts;
    if (!trip.position) {
      vehicles.replaceChildren();
      return;
    }
    const item = vehicles.firstChild ?? vehicles.appendChild(element("li", { "data-vehicle": "trip" }));
    const next = trip.stopsWithPosition.find(({ isPassed }) => !isPassed);
    const away = next
      ? `${distance(distanceMeters(trip.place, next.place))} from the ${stopName(next).toLowerCase()}` : null;
    const { heading, speed_mps: speed } = trip.position;
    const course = speed >= 1 && heading !== undefined ? `driving ${directionName(heading)}` : "stopped";
    setText(item, `Vehicle ${[away, course].filter(Boolean).join(", ")}, ${duration(trip.ageMs(now))} ago`);
    setAttributes(item, { "data-latitude": trip.position.latitude, "data-longitude": trip.position.longitude });
  }

  /** Stores the marker's pixel in attributes, for tests. */
  showDrawnPosition(point) {
    const item = this.#parts.vehicles.firstChild;
    if (item && point) setAttributes(item, { "data-x": point.x.toFixed(1), "data-y": point.y.toFixed(1) });
  }
}

function pageTitle(stop, rest) {
  return rest ? `${remainingText(rest.seconds)} · ${stopName(stop)} · Sightline` : "Sightline live map";
}

function stopTime(stop, now) {
  const rest = remaining(stop, now);
  if (stop.status === "PASSED") return stop.arrives_at ? clockTime(Date.parse(stop.arrives_at)) : "passed";
  return rest ? remainingText(rest.seconds) : "unknown";
}
