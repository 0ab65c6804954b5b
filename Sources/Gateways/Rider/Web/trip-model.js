import { positionAhead, turnDegrees } from "./geo.js";
import { Route } from "./polyline.js";

/** Time without a position, and number of the vehicle's usual intervals; a vehicle is silent after the longer one. */
const SILENCE_MS = 10000;
const SILENCE_INTERVALS = 2.5;
/** Maximum extrapolation of a silent vehicle's position, and duration for which this estimate (the ghost) is shown. */
const DEAD_RECKONING_SECONDS = 20;
const GHOST_MS = 20000;
const ENDED = new Set(["COMPLETED", "CANCELLED"]);
/** Stops of a trip without a driver, and thus without an ETA; the trip's facts may contain their places. */
const REQUESTED_STOPS = [{ stop_id: "pickup", kind: "PICKUP" }, { stop_id: "dropoff", kind: "DROPOFF" }];

/** State of one trip, from its snapshot and events. Times are the server's, in milliseconds since 1970. */
export class TripModel {
  state = null;
  change = null;
  position = null;
  eta = null;
  facts = null;
  route = null;
  #polyline = null;
  /** Distance of each stop along the route, by stop id, and time between the position and ETA that it results from. */
  #stopMeters = new Map();
  #plannedStops = [];

  applySnapshot(snapshot) {
    this.state = snapshot.state ?? snapshot.change?.state ?? null;
    this.change = snapshot.change ?? null;
    this.position = snapshot.position ?? null;
    this.eta = snapshot.eta ?? null;
    this.facts = snapshot.facts ?? null;
    this.#plannedStops = snapshot.stops ?? [];
    this.#setPolyline(snapshot.route_polyline ?? this.eta?.route_polyline ?? null);
    this.#locateStops();
  }

  applyPosition(position) {
    this.position = position;
    this.#locateStops();
  }

  applyEta(eta) {
    this.eta = eta;
    if (eta.route_polyline !== undefined) this.#setPolyline(eta.route_polyline);
    this.#locateStops();
  }

  applyChange(change) {
    this.change = change;
    this.state = change.state;
    this.facts = change.facts ?? this.facts;
    if (!change.rematched) return;
    this.position = null;
    this.eta = null;
    this.#setPolyline(null);
  }

  get isEnded() {
    return ENDED.has(this.state);
  }

  get place() {
    return this.position && { latitude: this.position.latitude, longitude: this.position.longitude };
  }

  get stops() {
    if (!this.eta) return [];
    const { pickup_eta: pickup, dropoff_eta: dropoff, stop_etas: others } = this.eta;
    return others ?? [pickup, dropoff].filter(Boolean);
  }

  /** The next stop, or `null`. Once the vehicle has arrived at the pickup, it is the stop after the pickup. */
  get nextStop() {
    if (this.isEnded) return null;
    const isAhead = ({ status, kind }) => status !== "PASSED"
      && !(kind === "PICKUP" && (this.state === "ARRIVED" || this.state === "IN_PROGRESS"));
    return this.stops.find(isAhead) ?? null;
  }

  ageMs(now) {
    return this.position && Math.max(0, now - Date.parse(this.position.server_timestamp));
  }

  get #silentAfterMs() {
    return Math.max(SILENCE_MS, SILENCE_INTERVALS * (this.position.interpolation_hint?.duration_ms ?? 0));
  }

  /** Returns whether the latest position is stale or too old; `false` without a position and for an ended trip. */
  isSilent(now) {
    if (!this.position || this.isEnded) return false;
    return this.position.is_stale || this.ageMs(now) >= this.#silentAfterMs;
  }

  /** Returns the estimated position of a silent vehicle, along its route or straight ahead; `null` if unknown. */
  ghost(now) {
    if (!this.isSilent(now) || this.position.speed_mps < 1) return null;
    const shownMs = this.ageMs(now) - this.#silentAfterMs;
    if (shownMs < 0 || shownMs >= GHOST_MS) return null;
    const meters = this.position.speed_mps * Math.min(DEAD_RECKONING_SECONDS, this.ageMs(now) / 1000);
    const alpha = Math.min(1, shownMs / 600) * 0.9 * (1 - shownMs / GHOST_MS);
    const along = this.route?.progress(this.place) ?? null;
    if (along !== null) {
      const [from, to] = [this.route.at(along + meters - 5), this.route.at(along + meters)];
      return { place: to, heading: headingBetween(from, to), alpha };
    }
    if (this.position.heading === undefined) return null;
    return { place: positionAhead(this.place, this.position.heading, meters), heading: this.position.heading, alpha };
  }

  get stopsWithPosition() {
    const stops = this.state === "REQUESTED" && !this.eta ? REQUESTED_STOPS : this.stops;
    return stops.flatMap((stop) => {
      const isPassed = stop.status === "PASSED" || this.isEnded
        || (stop.kind === "PICKUP" && this.state === "IN_PROGRESS");
      const place = this.#placeOfStop(stop, isPassed);
      if (!place) return [];
      const meters = this.#stopMeters.get(stop.stop_id)?.meters ?? null;
      return [{ place, kind: stop.kind, stop_id: stop.stop_id, isPassed, meters }];
    });
  }

  #placeOfStop(stop, isPassed) {
    const planned = this.#plannedStops.find(({ stop_id: id }) => id === stop.stop_id)
      ?? this.facts?.[stop.kind.toLowerCase()];
    if (Number.isFinite(planned?.latitude) && Number.isFinite(planned?.longitude)) return planned;
    // At the pickup, the route may still start at the driver's earlier position, so use the current position.
    if (stop.kind === "PICKUP" && isPassed && this.state === "ARRIVED") return this.place;
    if (!this.route) return null;
    const known = this.#stopMeters.get(stop.stop_id);
    if (known && !isPassed) return this.route.at(known.meters);
    if (stop.kind === "DROPOFF") return this.route.end;
    return stop.kind === "PICKUP" && isPassed ? this.route.places[0] : null;
  }

  /**
   * Computes each stop's distance along the route, because ETAs have no coordinates. If the position and the ETA have
   * different times, the distance is interpolated. The result with the smallest time difference is kept.
   */
  #locateStops() {
    const along = this.route && this.place ? this.route.progress(this.place) : null;
    if (along === null) return;
    const { lengthMeters } = this.route;
    for (const { stop_id: id, kind, status, distance_meters: ahead, seconds, computed_at: computedAt } of this.stops) {
      if (status !== "VALID" || ahead === undefined) continue;
      const apartSeconds = (Date.parse(this.position.server_timestamp) - Date.parse(computedAt)) / 1000;
      const known = this.#stopMeters.get(id);
      if (known && Math.abs(apartSeconds) >= known.apartSeconds) continue;
      const left = ahead * Math.max(0, 1 - apartSeconds / Math.max(1, seconds));
      const meters = kind === "DROPOFF" ? lengthMeters : Math.min(lengthMeters, along + left);
      this.#stopMeters.set(id, { meters, apartSeconds: Math.abs(apartSeconds) });
    }
  }

  #setPolyline(text) {
    if (text === this.#polyline) return;
    this.#polyline = text;
    this.#stopMeters.clear();
    this.route = text ? Route.decode(text) : null;
  }
}

/** Returns the remaining seconds (at least 0), their interval and the arrival time; `null` without an estimate. */
export function remaining(stop, now) {
  if (!stop || stop.status !== "VALID" || stop.seconds === undefined) return null;
  const elapsed = (now - Date.parse(stop.computed_at)) / 1000;
  const rest = (seconds) => Math.max(0, seconds - elapsed);
  const hasInterval = stop.min_seconds !== undefined && stop.max_seconds !== undefined;
  return {
    seconds: rest(stop.seconds),
    interval: hasInterval ? [rest(stop.min_seconds), rest(stop.max_seconds)] : null,
    arrivesAt: Date.parse(stop.computed_at) + stop.seconds * 1000,
  };
}

function headingBetween(from, to) {
  const east = turnDegrees(from.longitude, to.longitude) * Math.cos((from.latitude * Math.PI) / 180);
  return (Math.atan2(east, to.latitude - from.latitude) * 180) / Math.PI;
}
