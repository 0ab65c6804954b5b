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
  /** How long a map should take to move the marker here. */
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
  /** Along the route. */
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
  /** The run that has left the route; another run of the same vehicle remains. */
  streamId: string;
  vehicleNumber: string;
  /** If the run has not ended, it has changed its route, or its vehicle serves another run. */
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
  fixed_at: number;
  trip_id: string | null;
  /** 0 to 1. */
  risk: number;
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
  updated_at: number;
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
  /** The channel's current state; replaces everything received before. */
  snapshot?(snapshot: Snapshot): void;
  /** Every event, before the handler of its type. */
  event?(event: SightlineEvent): void;
  driver_location?: Handler<DriverLocation>;
  eta_update?: Handler<EtaUpdate>;
  trip_state_changed?: Handler<TripStateChanged>;
  vehicle_position?: Handler<VehiclePosition>;
  vehicle_left?: Handler<VehicleLeft>;
  notification?: Handler<Notification>;
  fleet_positions?(positions: FleetPositions): void;
  status?(status: Status): void;
  /** The subscription was rejected and has been removed. */
  error?(error: SightlineError): void;
}

export interface Subscription {
  readonly channel: Channel;
  /** The last event id of each source, to resume from, also in another client. */
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
  /** Replaces the request of `GET /config`. */
  config?: object;
  onStatus?(status: Status): void;
  /** Errors without a subscription, or of one without an `error` handler. */
  onError?(error: SightlineError): void;
  /** For tests. */
  clock?: Clock;
  /** For tests: returns a number in [0, 1). */
  random?(): number;
}

export class SightlineClient {
  constructor(options?: Options);
  readonly status: Status;
  /** The server's time in milliseconds since 1970. */
  now(): number;
  subscribe(channel: `trip:${string}`, handlers: Handlers<TripSnapshot>, from?: From): Subscription;
  subscribe(channel: `route:${string}`, handlers: Handlers<RouteSnapshot>, from?: From): Subscription;
  subscribe(channel: "fleet", handlers: Handlers<FleetSnapshot>, from?: From): Subscription;
  connect(): void;
  /** Reconnects now instead of after the backoff. */
  retryNow(): void;
  /** Sends a new token over the open connection. */
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
