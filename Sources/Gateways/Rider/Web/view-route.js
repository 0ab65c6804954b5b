import { element, setText } from "./elements.js";
import { VehicleList } from "./fleet-list.js";
import { VehiclesLayer } from "./layer-vehicles.js";
import { Motion } from "./motion.js";
import { OCCUPANCY, remainingText } from "./words.js";

const TICK_MS = 1000;
const GLIDE_MS = { min: 500, max: 60000 };
/** Age of the last position after which a vehicle is removed, because its run has probably ended. */
const EXPIRED_MS = 15 * 60000;

/** The view of a route: its vehicles with their next stop and occupancy. */
export class RouteView {
  #context;
  #id;
  #vehicles = new VehiclesLayer();
  #list = new VehicleList({
    onSelect: (id) => this.#show(id),
    compare: (a, b) => a.label.localeCompare(b.label),
    describe: ({ position }, now) => ({
      name: position.vehicleNumber, fixedAt: position.timeStamp, what: description(position, now),
      place: { latitude: position.latLng.lat, longitude: position.latLng.lng },
    }),
  });
  #total = element("small");
  #isFitted = false;

  constructor(context, id) {
    this.#context = context;
    this.#id = id;
    const { map, client, fail } = context;
    map.overlayLayers = [this.#vehicles];
    map.onFit = () => this.#fit();
    client.subscribe(`route:${id}`, {
      snapshot: ({ vehicles }) => {
        this.#vehicles.keepOnly(vehicles.map(({ streamId }) => streamId));
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
    const durationMs = known && !this.#context.map.camera.isMotionReduced
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
    if (!this.#list.element.isConnected) {
      content.replaceChildren(element("div", { class: "fleet" },
        element("h1", {}, `Route ${this.#id}`, this.#total), this.#list.element));
    }
    const now = client.now();
    for (const [id, { position }] of this.#vehicles.vehicles) {
      if (now - position.timeStamp > EXPIRED_MS) this.#vehicles.vehicles.delete(id);
    }
    const vehicles = [...this.#vehicles.vehicles.values()];
    const { length } = vehicles;
    setText(this.#total, length === 0 ? "No vehicle is on its way" : length === 1 ? "1 vehicle" : `${length} vehicles`);
    for (const vehicle of vehicles) vehicle.isSilent = vehicle.position.isStale;
    this.#list.render(vehicles, now);
    if (!this.#isFitted && vehicles.length > 0) this.#fit(0);
    map.invalidate();
  }

  #show(id) {
    const { map } = this.#context;
    this.#vehicles.selected = id;
    map.isMovedByUser = true;
    map.camera.flyTo(map.camera.targetFor([this.#vehicles.vehicles.get(id).motion.place]), performance.now());
  }

  #fit(durationMs) {
    const { map } = this.#context;
    this.#isFitted = map.show(this.#vehicles.places, { maxZoom: 15.5, durationMs }) || this.#isFitted;
  }
}

/** Describes the next stop and its arrival. `eta` is in seconds from `timeStamp`, or -1 if all stops are passed. */
function description({ eta, timeStamp, nextStopId, isBusHalted, isStale, occupancyLevel }, now) {
  const rest = eta === undefined || eta < 0 ? null : Math.max(0, eta - (now - timeStamp) / 1000);
  const arrival = eta === -1 ? "at the last stop"
    : `${nextStopId}${rest === null ? "" : ` in ${remainingText(rest).replace("now", "under a minute")}`}`;
  const remark = isStale ? "delayed data" : isBusHalted && "stopped";
  return [arrival, remark, OCCUPANCY[occupancyLevel]].filter(Boolean).join(" · ");
}
