/** Types of the JavaScript client; docs/schemas/rider.updates.schema.json describes the payloads. */

export type TripState = "REQUESTED" | "ACCEPTED" | "ARRIVED" | "IN_PROGRESS" | "COMPLETED" | "CANCELLED";

/** `trip:ID`, `route:ID` or `fleet`. */
export type Channel = `trip:${string}` | `route:${string}` | "fleet";

export interface DriverLocation {
  latitude: number;
  longitude: number;
  /** Degrees clockwise from north, below 360. */
  heading?: number;
  /** Metres per second. */
  speed_mps: number;
  /** Duration for which a map should move the marker to this position. */
  interpolation_hint: { duration_ms: number; easing: "linear" };
  /** Time of the position, ISO 8601 in UTC. */
  server_timestamp: string;
  is_stale: boolean;
  /** Age of the position when this was published. */
  stale_seconds: number;
}

export interface StopEta {
  stop_id: string;
  kind: "PICKUP" | "DROPOFF" | "STOP";
  status: "VALID" | "PASSED" | "UNAVAILABLE";
  /** Seconds from `computed_at` to the arrival; -1 if passed. Subtract the time since `computed_at`. */
  seconds?: number;
  min_seconds?: number;
  max_seconds?: number;
  confidence?: "LOW" | "MEDIUM" | "HIGH";
  /** Distance to the stop along the route. */
  distance_meters?: number;
  arrives_at?: string;
  scheduled_at?: string;
  delay_seconds?: number;
  delay: "UNKNOWN" | "EARLY" | "ON_TIME" | "DELAYED";
  computed_at: string;
}

export interface EtaUpdate {
  computed_at: string;
  is_stale: boolean;
  stale_seconds?: number;
  pickup_eta?: StopEta;
  dropoff_eta?: StopEta;
  /** Replaces the two members above for trips with other stops. */
  stop_etas?: StopEta[];
  /** Encoded polyline with 5 decimal digits; only if it changed. */
  route_polyline?: string;
  traffic_conditions: "UNKNOWN" | "LIGHT" | "MODERATE" | "HEAVY" | "SEVERE";
}

export interface TripStateChanged {
  trip_id?: string;
  state: TripState;
  previous_state?: TripState;
  allowed_transitions: TripState[];
  triggered_by?: string;
  timestamp: string;
  stage?: "DRIVER_EN_ROUTE" | "ARRIVED_DESTINATION";
  rematched?: boolean;
  facts?: Record<string, unknown>;
  context?: Record<string, unknown>;
}

export interface VehiclePosition {
  streamId: string;
  etaId: string;
  vehicleNumber: string;
  /** Seconds from `timeStamp` to the next stop; -1 if all stops are passed. */
  eta?: number;
  minEta?: number;
  maxEta?: number;
  distanceToReach?: number;
  latLng: { lat: number; lng: number };
  isBusHalted: boolean;
  nextStopId: string;
  lastStopId: string;
  passedStopId?: string;
  passedStopTime?: number;
  vehicleBearing?: number;
  /** Milliseconds since 1970. */
  timeStamp: number;
  isStale: boolean;
  staleSeconds: number;
  occupancyLevel: "UNKNOWN" | "MANY_SEATS" | "FEW_SEATS" | "STANDING" | "FULL";
}

export interface VehicleLeft {
  /** Run (vehicle trip) that has left the route; other runs of the vehicle stay. */
  streamId: string;
  vehicleNumber: string;
  /** State of the run; if it has not ended, it changed its route, or another run of its driver replaced it. */
  state: TripState;
  /** Milliseconds since 1970. */
  timeStamp: number;
}

export interface Notification {
  moment: "DRIVER_ACCEPTED" | "DRIVER_ARRIVED" | "TRIP_STARTED" | "TRIP_COMPLETED" | "TRIP_CANCELLED" | "ETA_MOVED";
  priority: "NORMAL" | "HIGH";
  eta_change_seconds?: number;
  triggered_by?: string;
  facts?: Record<string, unknown>;
}

export interface FleetDriver {
  driver_id: string;
  lat: number;
  lon: number;
  heading: number | null;
  speed_mps: number | null;
  /** Milliseconds since 1970. */
  fixed_at: number | null;
  trip_id: string | null;
  /** 0 to 1; `null` if the store has none. */
  risk: number | null;
  is_flagged: boolean;
  is_suspect: boolean;
  signals: string[];
}

export interface FleetPositions {
  type: "fleet_positions";
  timestamp: string;
  drivers: FleetDriver[];
  gone: string[];
}

export interface TripSnapshot {
  state: TripState | null;
  updated_at: number | null;
  /** `null` while the trip has no driver. */
  event_id: string | null;
  position: DriverLocation | null;
  eta: EtaUpdate | null;
  change: TripStateChanged | null;
  route_polyline: string | null;
  facts: Record<string, unknown> | null;
}

export interface RouteSnapshot {
  vehicles: VehiclePosition[];
}

export interface FleetSnapshot {
  drivers: FleetDriver[];
}

/** A published event; `payload` depends on `type`. */
export interface SightlineEvent<Payload = unknown> {
  type: string;
  event_id: string;
  channel: string;
  payload: Payload;
}

export type Status =
  | { status: "connecting" }
  | { status: "live" }
  | { status: "reconnecting"; reason?: string; retryInMs?: number; failures?: number }
  | { status: "polling"; reason?: string; retryInMs?: number; failures?: number }
  | { status: "closed"; reason: string };

type Handler<Payload> = (payload: Payload, event: SightlineEvent<Payload>) => void;

export interface Handlers<Snapshot = TripSnapshot | RouteSnapshot | FleetSnapshot> {
  /** Receives the channel's current state, which replaces everything received before. */
  snapshot?(snapshot: Snapshot): void;
  /** Receives every event, before the handler of its type. */
  event?(event: SightlineEvent): void;
  driver_location?: Handler<DriverLocation>;
  eta_update?: Handler<EtaUpdate>;
  trip_state_changed?: Handler<TripStateChanged>;
  vehicle_position?: Handler<VehiclePosition>;
  vehicle_left?: Handler<VehicleLeft>;
  notification?: Handler<Notification>;
  fleet_positions?(positions: FleetPositions): void;
  status?(status: Status): void;
  /** Called when the server has rejected the subscription, which is then removed. */
  error?(error: SightlineError): void;
}

export interface Subscription {
  readonly channel: Channel;
  /** The last event id of each source, from which this or another client can resume. */
  readonly lastEventId: string | string[] | null;
  unsubscribe(): void;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  setTimeout(work: () => void, ms: number): unknown;
  clearTimeout(timer: any): void;
}

export interface Options {
  /** Address of the gateway, such as `https://rides.example`; default: the origin of the page. */
  url?: string;
  token?: string;
  /** Fetches a token: the first one if `token` is not set, and another one after a rejection. */
  getToken?(): string | Promise<string>;
  /** Whether to acknowledge events, so that the gateway detects a stuck connection or app within seconds. */
  acknowledge?: boolean;
  /** The WebSocket class, for environments without one (Node 20). */
  WebSocket?: new (url: string) => any;
  fetch?: typeof fetch;
  /** Settings as in the response of `GET /config`, which is then not requested. */
  config?: object;
  onStatus?(status: Status): void;
  /** Receives temporary errors, errors of no subscription, and rejections without an `error` handler. */
  onError?(error: SightlineError): void;
  /** For tests. */
  clock?: Clock;
  /** For tests: returns a number in [0, 1). */
  random?(): number;
}

export class SightlineClient {
  constructor(options?: Options);
  readonly status: Status;
  /** Returns the server's time in milliseconds since 1970. */
  now(): number;
  subscribe(channel: `trip:${string}`, handlers: Handlers<TripSnapshot>, from?: From): Subscription;
  subscribe(channel: `route:${string}`, handlers: Handlers<RouteSnapshot>, from?: From): Subscription;
  subscribe(channel: "fleet", handlers: Handlers<FleetSnapshot>, from?: From): Subscription;
  connect(): void;
  /** Reconnects now instead of after the backoff, unless the server requested a delay. */
  retryNow(): void;
  /** Fetches a token with `getToken` and sends it over the open connection. */
  refreshToken(): Promise<void>;
  close(reason?: string): void;
}

interface From {
  lastEventId?: string | string[] | null;
}

export class SightlineError extends Error {
  constructor(code: string, message?: string, details?: {
    channel?: string | null;
    retryAfterMs?: number | null;
    status?: number | null;
  });
  readonly code: string;
  readonly channel: string | null;
  readonly retryAfterMs: number | null;
  /** HTTP status. */
  readonly status: number | null;
}

export function parseEventId(text: string): {
  origin: "raw" | "trips";
  partition: number;
  order: [offset: number, fix: number, punctuation: number, message: number];
} | null;

export function backoffDelay(attempt: number, firstMs: number, longestMs: number, random?: () => number): number;
