import { element, markPicture, setAttributes, setText } from "./elements.js";
import { VehiclesLayer } from "./layer-vehicles.js";
import { Motion } from "./motion.js";
import { OCCUPANCY, duration, remainingText } from "./words.js";

const TICK_MS = 1000;
const GLIDE_MS = { min: 500, max: 60000 };
/** Positions older than this belong to a run that has ended. */
const EXPIRED_MS = 15 * 60000;

/** The view of a route: its vehicles with their next stop and occupancy. */
export class RouteView {
  #context;
  #id;
  #vehicles = new VehiclesLayer();
  #rows = new Map();
  #list = element("ul", { id: "vehicles", class: "vehicles fold", "aria-label": "Vehicles" });
  #total = element("small");
  #isPlaced = false;

  constructor(context, id) {
    this.#context = context;
    this.#id = id;
  }

  start() {
    const { map, client, fail } = this.#context;
    map.overlayLayers = [this.#vehicles];
    map.onFit = () => this.#place();
    client.subscribe(`route:${this.#id}`, {
      snapshot: ({ vehicles }) => {
        const present = new Set(vehicles.map(({ streamId }) => streamId));
        for (const id of this.#vehicles.vehicles.keys()) if (!present.has(id)) this.#vehicles.vehicles.delete(id);
        for (const vehicle of vehicles) this.#update(vehicle);
        this.#render();
      },
      vehicle_position: (vehicle) => {
        this.#update(vehicle);
        this.#render();
      },
      vehicle_left: ({ streamId }) => {
        this.#vehicles.vehicles.delete(streamId);
        this.#render();
      },
      error: ({ code }) => fail(code),
    });
    setInterval(() => this.#render(), TICK_MS);
  }

  #update(position) {
    const { streamId: id, latLng, timeStamp, vehicleBearing, vehicleNumber } = position;
    const known = this.#vehicles.vehicles.get(id);
    if (known && known.position.timeStamp > timeStamp) return;
    const vehicle = known ?? { id, mark: "bus", motion: new Motion() };
    const interval = known ? timeStamp - known.position.timeStamp : 0;
    const durationMs = known && !this.#context.map.isMotionReduced
      ? Math.max(GLIDE_MS.min, Math.min(GLIDE_MS.max, interval)) : 0;
    vehicle.motion.moveTo({ latitude: latLng.lat, longitude: latLng.lng }, {
      heading: vehicleBearing ?? null, durationMs, now: performance.now(),
    });
    Object.assign(vehicle, { position, label: vehicleNumber });
    this.#vehicles.vehicles.set(id, vehicle);
  }

  #render() {
    const { client, content, map } = this.#context;
    if (client.status.status === "closed" || client.status.status === "connecting") return;
    if (!this.#list.isConnected) {
      content.replaceChildren(element("div", { class: "fleet" },
        element("h1", {}, `Route ${this.#id}`, this.#total), this.#list));
    }
    const now = client.now();
    for (const [id, { position }] of this.#vehicles.vehicles) {
      if (now - position.timeStamp > EXPIRED_MS) this.#vehicles.vehicles.delete(id);
    }
    const vehicles = [...this.#vehicles.vehicles.values()].sort((a, b) => a.label.localeCompare(b.label));
    const { length } = vehicles;
    setText(this.#total, length === 0 ? "No vehicle is on its way" : length === 1 ? "1 vehicle" : `${length} vehicles`);
    for (const [id, row] of this.#rows) if (!this.#vehicles.vehicles.has(id)) row.remove();
    vehicles.forEach((vehicle, index) => this.#renderRow(vehicle, index, now));
    if (!this.#isPlaced && vehicles.length > 0) this.#place(0);
    map.invalidate();
  }

  #renderRow(vehicle, index, now) {
    const { id, position, drawn } = vehicle;
    if (!this.#rows.has(id)) {
      const button = element("button", { type: "button", click: () => this.#show(id) },
        markPicture("bus"), element("strong"), element("span", { class: "age" }), element("span", { class: "what" }));
      this.#rows.set(id, element("li", { "data-driver": id }, button));
    }
    const row = this.#rows.get(id);
    if (this.#list.children[index] !== row) this.#list.insertBefore(row, this.#list.children[index] ?? null);
    const [, name, age, what] = row.firstChild.children;
    vehicle.isSilent = position.isStale;
    setText(name, position.vehicleNumber);
    setText(age, duration(Math.max(0, now - position.timeStamp)));
    setText(what, description(position, now));
    setAttributes(row, {
      "data-latitude": position.latLng.lat, "data-longitude": position.latLng.lng,
      "data-x": drawn?.x.toFixed(1), "data-y": drawn?.y.toFixed(1),
    });
  }

  #show(id) {
    const { map } = this.#context;
    this.#vehicles.selected = id;
    map.isMovedByUser = true;
    map.camera.flyTo(map.camera.targetFor([this.#vehicles.vehicles.get(id).motion.place]), performance.now());
  }

  #place(durationMs) {
    const { map } = this.#context;
    const places = [...this.#vehicles.vehicles.values()].map(({ motion }) => motion.place);
    const target = map.camera.targetFor(places, { maxZoom: 15.5 });
    if (!target) return;
    this.#isPlaced = true;
    document.getElementById("page").dataset.placed = "true";
    map.camera.flyTo(target, performance.now(), durationMs === undefined ? {} : { durationMs });
  }
}

/** Describes the next stop and its arrival; `eta` counts from `timeStamp`, and is -1 if all stops are passed. */
function description({ eta, timeStamp, nextStopId, isBusHalted, isStale, occupancyLevel }, now) {
  const rest = eta === undefined || eta < 0 ? null : Math.max(0, eta - (now - timeStamp) / 1000);
  const arrival = eta === -1 ? "at the last stop"
    : `${nextStopId}${rest === null ? "" : ` in ${remainingText(rest).replace("now", "under a minute")}`}`;
  const remark = isStale ? "delayed data" : isBusHalted && "stopped";
  return [arrival, remark, OCCUPANCY[occupancyLevel]].filter(Boolean).join(" · ");
}
