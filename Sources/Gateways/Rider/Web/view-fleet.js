import { DriverDetail } from "./driver-detail.js";
import { element, markPicture, partMaker, setAttributes, setText } from "./elements.js";
import { VehicleList } from "./fleet-list.js";
import { middleLongitude, turnDegrees, worldOf } from "./geo.js";
import { TrailLayer } from "./layer-trail.js";
import { VehiclesLayer } from "./layer-vehicles.js";
import { Motion } from "./motion.js";
import { signalText, speed } from "./words.js";

const TICK_MS = 1000;
const TRAIL_MS = 5000;
/** Limits of the glide to a new position, which lasts as long as the interval of the fixes, or `min` beyond `max`. */
const GLIDE_MS = { min: 500, max: 30000 };
const SILENT_MS = 60000;
const DETAIL_ZOOM = 15;
const RANK = { flagged: 0, suspect: 1, trip: 2, free: 3 };
const NUMBERS = new Intl.Collator(undefined, { numeric: true });
const MARKS = [["trip", "On a trip"], ["free", "Free"], ["suspect", "Suspect"], ["flagged", "Flagged"]];

export class FleetView {
  #context;
  #vehicles = new VehiclesLayer();
  #trailLayer = new TrailLayer();
  #list = new VehicleList({
    onSelect: (id) => this.#select(id),
    compare: (a, b) => RANK[a.mark] - RANK[b.mark] || NUMBERS.compare(a.id, b.id),
    describe: ({ mark, driver }) => ({
      name: driver.driver_id, fixedAt: driver.fixed_at, what: description(mark, driver),
      place: { latitude: driver.lat, longitude: driver.lon },
    }),
    emptyText: "No matching vehicles.",
    moreText: "; use the filter to find them",
  });
  #detail = new DriverDetail({
    onClose: () => this.#select(null),
    onFollow: () => this.#toggleFollow(),
    tripLink: (trip) => this.#context.tripLink(trip),
  });
  #filter = { text: "", isSuspect: false, isOnTrip: false };
  #trail = null;
  #selected = null;
  #isFollowed = false;
  #isFitted = false;
  #hasSnapshot = false;
  #parts = {};

  constructor(context) {
    this.#context = context;
    const { map, client, fail } = context;
    map.overlayLayers = [this.#trailLayer, this.#vehicles];
    map.onFit = () => this.#fit();
    map.onClick = (point) => this.#select(this.#vehicles.at(point)?.id ?? null);
    map.onHover = (point) => this.#hover(point);
    addEventListener("keydown", ({ key }) => key === "Escape" && this.#select(null));
    client.subscribe("fleet", {
      snapshot: ({ drivers }) => {
        this.#hasSnapshot = true;
        this.#vehicles.keepOnly(drivers.map(({ driver_id: id }) => id));
        this.#update(drivers);
      },
      fleet_positions: ({ drivers, gone }) => {
        for (const id of gone) this.#vehicles.vehicles.delete(id);
        this.#update(drivers);
      },
      error: ({ code }) => fail(code),
    });
    setInterval(() => this.#render(), TICK_MS);
    setInterval(() => this.#loadTrail(), TRAIL_MS);
  }

  #update(drivers) {
    for (const driver of drivers) this.#updateDriver(driver, performance.now());
    if (!this.#isFitted && this.#vehicles.vehicles.size > 0) this.#fit(0);
    this.#render();
  }

  #updateDriver(driver, now) {
    const vehicles = this.#vehicles.vehicles;
    const known = vehicles.get(driver.driver_id);
    const vehicle = known ?? { id: driver.driver_id, motion: new Motion() };
    if (!known || known.driver.fixed_at !== driver.fixed_at) {
      const interval = known ? driver.fixed_at - known.driver.fixed_at : 0;
      const durationMs = interval > GLIDE_MS.max ? GLIDE_MS.min : Math.max(GLIDE_MS.min, interval);
      const place = { latitude: driver.lat, longitude: driver.lon };
      vehicle.motion.moveTo(place, {
        heading: driver.heading, durationMs: known && !this.#context.map.camera.isMotionReduced ? durationMs : 0, now,
      });
      if (known && driver.driver_id === this.#selected) this.#trailLayer.add(place);
    }
    vehicle.driver = driver;
    vehicle.mark = driver.is_flagged ? "flagged" : driver.is_suspect ? "suspect" : driver.trip_id ? "trip" : "free";
    vehicles.set(driver.driver_id, vehicle);
  }

  #passes({ mark, driver }) {
    const { text, isSuspect, isOnTrip } = this.#filter;
    if (isSuspect && mark !== "suspect" && mark !== "flagged") return false;
    if (isOnTrip && !driver.trip_id) return false;
    if (!text) return true;
    const names = driver.signals.map((code) => signalText(code).name);
    return [driver.driver_id, driver.trip_id, mark, ...driver.signals, ...names]
      .some((value) => value?.toLowerCase().includes(text));
  }

  // The panel

  #render() {
    const { client, map, content } = this.#context;
    if (client.status.status === "closed" || !this.#hasSnapshot) return;
    if (!this.#parts.fleet) this.#build(content);
    const now = client.now();
    const all = [...this.#vehicles.vehicles.values()];
    for (const vehicle of all) {
      vehicle.isDimmed = !this.#passes(vehicle) && vehicle.id !== this.#selected;
      vehicle.isSilent = now - vehicle.driver.fixed_at > SILENT_MS;
    }
    const passing = all.filter((vehicle) => this.#passes(vehicle));
    this.#renderCounts(all, passing);
    const selected = this.#vehicles.vehicles.get(this.#selected);
    if (this.#selected && !selected) this.#select(null);
    else if (selected) this.#detail.render(selected, { now, trail: this.#trail, isFollowed: this.#isFollowed });
    else this.#list.render(passing, now);
    if (selected && this.#isFollowed) {
      map.camera.flyTo(worldOf(selected.motion.place), performance.now(), { durationMs: TICK_MS, isLinear: true });
    }
    map.invalidate();
  }

  #build(content) {
    const parts = this.#parts;
    const part = partMaker(parts);
    const toggle = (name, text) => part(name, "button", {
      type: "button", "aria-pressed": "false", "data-filter": name, click: () => {
        this.#filter[name] = !this.#filter[name];
        setAttributes(parts[name], { "aria-pressed": String(this.#filter[name]) });
        this.#render();
      },
    }, text);
    const count = ([mark, label]) => element("div", {},
      element("dt", {}, label), markPicture(mark), part(mark, "dd", { "data-count": mark }));
    content.replaceChildren(part("fleet", "div", { class: "fleet" },
      element("h1", {}, "Fleet", part("total", "small")),
      element("dl", { class: "counts" }, ...MARKS.map(count)),
      element("div", { class: "filter", role: "search", "aria-label": "Filter vehicles" },
        element("input", {
          type: "search", placeholder: "Search", "aria-label": "Driver, trip or signal",
          "data-filter": "text", input: ({ target }) => {
            this.#filter.text = target.value.trim().toLowerCase();
            this.#render();
          },
        }),
        toggle("isSuspect", "Suspects"), toggle("isOnTrip", "On a trip"), part("shown", "output")),
      this.#list.element));
  }

  #renderCounts(all, passing) {
    const counts = { trip: 0, free: 0, suspect: 0, flagged: 0 };
    for (const { mark } of all) counts[mark] += 1;
    for (const [mark] of MARKS) setText(this.#parts[mark], String(counts[mark]));
    setText(this.#parts.total, all.length === 1 ? "1 vehicle" : `${all.length} vehicles`);
    setText(this.#parts.shown, passing.length === all.length ? "" : `${passing.length} shown`);
  }

  // One driver

  #select(id) {
    if (id === this.#selected || (id === null && !this.#selected)) return;
    const last = this.#selected;
    this.#selected = this.#vehicles.selected = id;
    this.#isFollowed = false;
    this.#trail = null;
    this.#trailLayer.points = [];
    const { content, map } = this.#context;
    const vehicle = this.#vehicles.vehicles.get(id);
    if (vehicle) {
      this.#trailLayer.color = vehicle.mark;
      content.replaceChildren(this.#detail.element);
      this.#loadTrail();
      this.#render();
      this.#detail.focus();
      const target = { ...worldOf(vehicle.motion.place), zoom: Math.max(map.camera.zoom, DETAIL_ZOOM) };
      map.isMovedByUser = true;
      map.camera.flyTo(target, performance.now());
    } else {
      content.replaceChildren(this.#parts.fleet);
      this.#render();
      content.querySelector(`li[data-driver="${CSS.escape(last)}"] button`)?.focus();
    }
  }

  #toggleFollow() {
    this.#isFollowed = !this.#isFollowed;
    this.#render();
  }

  async #loadTrail() {
    const id = this.#selected;
    if (!id) return;
    let trail;
    try {
      const headers = { authorization: `Bearer ${this.#context.currentToken()}` };
      const response = await fetch(`/drivers/${encodeURIComponent(id)}/trail`, { headers });
      trail = response.ok ? await response.json() : { points: [], problem: response.status };
    } catch {
      trail = { points: [], problem: "UNREACHABLE" };
    }
    if (id !== this.#selected) return;
    this.#trail = trail;
    if (!trail.problem) this.#trailLayer.points = trail.points;
    this.#render();
  }

  // The map

  #hover(point) {
    const id = this.#vehicles.at(point)?.id ?? null;
    if (id === this.#vehicles.hovered) return;
    this.#vehicles.hovered = id;
    setAttributes(document.getElementById("map"), { "data-over": id ? "vehicle" : null });
    this.#context.map.invalidate();
  }

  /** Fits the map to the vehicles, except outliers such as spoofed positions. */
  #fit(durationMs) {
    const places = withoutOutliers(this.#vehicles.places);
    this.#isFitted = this.#context.map.show(places, { marginPixels: 28, durationMs }) || this.#isFitted;
  }
}

function description(mark, { trip_id: trip, speed_mps: mps, signals }) {
  const doing = trip ?? "free";
  if (mark === "trip" || mark === "free") return `${doing} · ${speed(mps)}`;
  const names = signals.map((code) => signalText(code).name.toLowerCase()).join(", ");
  return `${mark === "flagged" ? "Flagged" : "Suspect"}${names ? `: ${names}` : ""}`;
}

/** Returns the places within the extent of the inner 90 %, extended by a quarter on each side. */
function withoutOutliers(places) {
  const cut = Math.floor(places.length / 20);
  const near = (value) => {
    const sorted = places.map(value).sort((a, b) => a - b).slice(cut, places.length - cut);
    const margin = (sorted.at(-1) - sorted[0]) / 4;
    return (place) => value(place) >= sorted[0] - margin && value(place) <= sorted.at(-1) + margin;
  };
  const middle = middleLongitude(places);
  const isNearNorth = near(({ latitude }) => latitude);
  const isNearEast = near(({ longitude }) => turnDegrees(middle, longitude));
  return places.filter((place) => isNearNorth(place) && isNearEast(place));
}
