/** Texts of the page. No function reads the time or the page; `clockTime` depends on locale and time zone. */

export const STEPS = [
  ["REQUESTED", "Requested"], ["ACCEPTED", "Accepted"], ["ARRIVED", "Arrived"], ["IN_PROGRESS", "On the way"],
  ["COMPLETED", "Done"],
];

const BY = { RIDER: "by the rider", DRIVER: "by the driver", SYSTEM: "by the service" };

export function tripTitle({ state, change, facts }) {
  const name = facts?.driver?.first_name ?? "Your driver";
  switch (state) {
    case "REQUESTED": return "Looking for a driver";
    case "ACCEPTED": return `${name} is on the way to you`;
    case "ARRIVED": return `${name} is waiting for you`;
    case "IN_PROGRESS":
      return change?.stage === "ARRIVED_DESTINATION" ? "You are at your destination" : "On the way to your destination";
    case "COMPLETED": return "You have arrived";
    case "CANCELLED": return ["This trip was cancelled", BY[change?.triggered_by]].filter(Boolean).join(" ");
    default: return "Waiting for trip updates";
  }
}

export function stopName({ kind, stop_id: id }) {
  return { PICKUP: "Pickup", DROPOFF: "Dropoff" }[kind] ?? id;
}

/** Returns a remaining time and its unit: `["4", "min"]`, `["1:05", "h"]`; under half a minute `["now", ""]`. */
export function countdown(seconds) {
  if (seconds < 30) return ["now", ""];
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return [String(minutes), "min"];
  return [`${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`, "h"];
}

export function remainingText(seconds) {
  return countdown(seconds).join(" ").trim();
}

/** Returns an interval as text, such as `3–6 min` or `within 2 min`. Rounds outwards; empty if at most 1 min wide. */
export function intervalText([least, most]) {
  const [from, to] = [Math.floor(least / 60), Math.ceil(most / 60)];
  if (to - from <= 1) return "";
  return from < 1 ? `within ${to} min` : `${from}–${to} min`;
}

export const CONFIDENCE = { HIGH: "high confidence", MEDIUM: "medium confidence", LOW: "low confidence" };

export function delayText({ delay, delay_seconds: seconds }) {
  const minutes = Math.max(1, Math.round(Math.abs(seconds ?? 0) / 60));
  switch (delay) {
    case "DELAYED": return `${minutes} min late`;
    case "EARLY": return `${minutes} min early`;
    case "ON_TIME": return "On time";
    default: return null;
  }
}

/** Returns milliseconds as `24 s`, `3 min` or `2 h`, rounded down. */
export function duration(ms) {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

export function clockTime(ms) {
  return new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }).format(ms);
}

export function distance(meters) {
  return meters < 950 ? `${Math.round(meters / 10) * 10} m` : `${(meters / 1000).toFixed(1)} km`;
}

export function speed(mps) {
  return mps === null || mps === undefined ? "–" : `${Math.round(mps * 3.6)} km/h`;
}

export const OCCUPANCY = {
  MANY_SEATS: "many seats", FEW_SEATS: "few seats", STANDING: "standing room", FULL: "full",
};

/** Name and description of each risk signal. */
const SIGNALS = {
  MOCK_LOCATION: ["Mock location", "The phone reports that an app provides its position."],
  DEVICE_INTEGRITY: ["Device integrity", "The platform's integrity check of the device or app failed."],
  SEQUENCE_REPLAY: ["Replayed message", "A sequence number was repeated with different content."],
  REPEATED_TRACK: ["Repeated track", "The track repeats an earlier one point by point."],
  JUMP: ["Jump", "No vehicle can reach this position in the time since the last one."],
  RELOCATION: ["Relocation", "The track continued at a place that no vehicle could have reached."],
  ACCELERATION: ["Acceleration", "No vehicle can accelerate enough to reach this position."],
  SPEED_CONTRADICTION: ["Speed contradicts track", "The reported speed does not match the positions."],
  DRIFT: ["Drift", "The positions drift away from the reported speed and heading."],
  UNSTEADINESS: ["Unsteady", "The positions scatter like random noise."],
  FILTER_RESTART: ["Lost track", "The track broke off and continued over 100 m away from its last position."],
  EQUAL_STEPS: ["Equal steps", "Successive positions are equally far apart, or at exactly the same speed."],
  RHYTHM: ["Machine rhythm", "The phone's positions are timed at exactly equal intervals, which normally vary."],
  FROZEN_FIELDS: ["Frozen fields", "Accuracy and altitude are constant while the vehicle moves."],
  FROZEN_SPEED: ["Frozen speed", "Accuracy, altitude and speed are constant while the vehicle moves."],
  OVERDUE_FIELDS: ["Fields stopped varying", "Fields that normally vary on this phone are constant."],
  OVERDUE_SPEED: ["Speed stopped varying", "The speed, which normally varies on this phone, is constant."],
  OVERDUE_HEADING: ["Heading stopped varying", "The heading, which normally varies on this phone, is constant."],
};

export function signalText(code) {
  const [name, meaning] = SIGNALS[code] ?? [code.toLowerCase().replaceAll("_", " "), ""];
  return { name, meaning };
}

export function riskText({ is_flagged: isFlagged, is_suspect: isSuspect, risk }) {
  if (isFlagged) return "Flagged for spoofing. Riders do not see these positions.";
  if (isSuspect) return "Suspect. Positions are marked, but riders still see them.";
  return risk >= 0.2 ? "Elevated risk, but not suspect." : "Low risk.";
}

export const CONNECTION = {
  connecting: "Connecting", live: "Live", reconnecting: "Reconnecting", polling: "Live (polling)", offline: "Offline",
  closed: "Disconnected",
};

const NOTIFICATIONS = {
  DRIVER_ACCEPTED: ({ facts }) => `${facts?.driver?.first_name ?? "A driver"} accepted the trip`,
  DRIVER_ARRIVED: ({ facts }) => `${facts?.driver?.first_name ?? "Your driver"} has arrived`,
  TRIP_STARTED: () => "The trip has started",
  TRIP_COMPLETED: () => "The trip is complete",
  TRIP_CANCELLED: () => "The trip was cancelled",
  ETA_MOVED: ({ eta_change_seconds: seconds = 0 }) => {
    const minutes = Math.round(Math.abs(seconds) / 60);
    return `Arrival is ${minutes} min ${seconds > 0 ? "later" : "earlier"} than estimated before`;
  },
};

export function notificationText(payload) {
  return NOTIFICATIONS[payload.moment]?.(payload) ?? null;
}

/** Title and remedy of each problem, by error code. */
const PROBLEMS = {
  TOKEN_MISSING: [
    "This link is incomplete", "It must contain an access token. Copy the complete link and open it again.",
  ],
  TOKEN_INVALID: [
    "This link is not valid",
    "Its token was rejected, perhaps because it is truncated. Open the complete link again, or request a new one.",
  ],
  TOKEN_EXPIRED: ["This link has expired", "Request a new one from its sender."],
  NOT_ALLOWED: ["Access denied", "The link's token does not allow this. Open the right link, or request one."],
  TRIP_NOT_FOUND: [
    "Trip not found",
    "There is no update for this trip yet, or it ended more than a day ago. The page retries every 10 seconds.",
  ],
  INVALID_SUBSCRIPTION: [
    "This link is not valid",
    "trip= or route= must be followed by an id of letters, digits and the characters _ . : -. Check the link.",
  ],
};

export function problemText(code) {
  const [title, text] = PROBLEMS[code] ?? [
    "The gateway rejected the request", "Reload the page. If that does not help, report the code below.",
  ];
  return { title, text };
}
