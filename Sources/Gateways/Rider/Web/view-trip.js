import { worldOf } from "./geo.js";
import { TripLayer } from "./layer-trip.js";
import { Motion } from "./motion.js";
import { TripCard } from "./trip-card.js";
import { TripModel } from "./trip-model.js";
import { notificationText, stopName } from "./words.js";

const RETRY_MS = 10000;
const TICK_MS = 1000;
/** Change of zoom above which the map is fitted again. */
const ZOOM_STEP = 0.45;

export class TripView {
  #context;
  #id;
  #trip = new TripModel();
  #layer = new TripLayer();
  #card = null;
  #isFitted = false;

  constructor(context, id) {
    this.#context = context;
    this.#id = id;
    const { map, client } = context;
    this.#layer.ghostAt = () => this.#trip.ghost(client.now());
    map.overlayLayers = [this.#layer];
    map.onFit = () => this.#fit({ isWhole: true });
    this.#subscribe();
    setInterval(() => this.#render(), TICK_MS);
  }

  #subscribe() {
    const { client, toast, fail } = this.#context;
    const change = (apply) => (payload) => {
      apply(payload);
      this.#render();
    };
    client.subscribe(`trip:${this.#id}`, {
      snapshot: (snapshot) => {
        this.#trip.applySnapshot(snapshot);
        this.#move({ isAtOnce: this.#layer.motion === null });
        this.#render();
      },
      driver_location: change((position) => {
        this.#trip.applyPosition(position);
        this.#move();
      }),
      eta_update: change((eta) => this.#trip.applyEta(eta)),
      trip_state_changed: change((step) => {
        this.#trip.applyChange(step);
        if (step.rematched) this.#layer.motion = null;
      }),
      notification: (payload) => {
        const text = notificationText(payload);
        if (text) toast(text);
      },
      error: ({ code }) => {
        fail(code);
        this.#card = null;
        this.#trip = new TripModel();
        if (code === "TRIP_NOT_FOUND") setTimeout(() => this.#subscribe(), RETRY_MS);
      },
    });
  }

  #move({ isAtOnce = false } = {}) {
    const { position, place } = this.#trip;
    const { map } = this.#context;
    if (!place) {
      this.#layer.motion = null;
      return;
    }
    const now = performance.now();
    this.#layer.motion ??= new Motion();
    this.#layer.motion.moveTo(place, {
      heading: position.heading ?? null, now,
      durationMs: isAtOnce || map.camera.isMotionReduced ? 0 : position.interpolation_hint.duration_ms,
    });
  }

  #render() {
    if (this.#context.client.status.status === "closed" || this.#trip.state === null && !this.#trip.position) return;
    const { client, map, content } = this.#context;
    const now = client.now();
    if (!this.#card) {
      this.#card = new TripCard(content);
      delete document.getElementById("page").dataset.problem;
    }
    this.#card.render(this.#trip, now);
    this.#card.showDrawnPosition(this.#layer.drawn);
    this.#layer.route = this.#trip.isEnded ? null : this.#trip.route;
    this.#layer.stops = this.#trip.stopsWithPosition.map((stop) => ({ ...stop, label: stopName(stop) }));
    this.#layer.isOld = this.#trip.isSilent(now) || this.#trip.isEnded;
    this.#layer.isPulsing = client.status.status === "live" && !this.#trip.isEnded;
    if (!map.isMovedByUser) this.#fit({ isWhole: !this.#isFitted });
    map.invalidate();
  }

  /** Fits the map to the vehicle and its next stop, or to the whole route. */
  #fit({ isWhole }) {
    const { map } = this.#context;
    const { place, route, stopsWithPosition } = this.#trip;
    const next = stopsWithPosition.find(({ isPassed }) => !isPassed);
    const whole = [place, ...(route?.places ?? []), ...stopsWithPosition.map((stop) => stop.place)];
    const places = (isWhole ? whole : [place, next?.place]).filter(Boolean);
    const target = map.camera.targetFor(places, { marginPixels: 64, maxZoom: 16 });
    if (!target) return;
    const isFirst = !this.#isFitted;
    const isDue = isWhole || Math.abs(target.zoom - map.camera.zoom) > ZOOM_STEP
      || (place && !map.camera.isWellInside(worldOf(place), 0.12));
    this.#isFitted = true;
    document.getElementById("page").dataset.fitted = "true";
    if (isDue) map.camera.flyTo(target, performance.now(), { durationMs: isFirst ? 0 : 900 });
  }
}
