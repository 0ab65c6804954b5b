/** All texts that say how things are. No function here reads a clock or the page. */

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
    default: return "Waiting for news of this trip";
  }
}

export function stopName({ kind, stop_id: id }) {
  return { PICKUP: "Pickup", DROPOFF: "Dropoff" }[kind] ?? id;
}

/** A time to go, as a number and its unit: `["4", "min"]`, `["1:05", "h"]`; under half a minute `["now", ""]`. */
export function timeToGo(seconds) {
  if (seconds < 30) return ["now", ""];
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return [String(minutes), "min"];
  return [`${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`, "h"];
}

/** `3–6 min`, from the seconds of an interval; empty when it is within one minute. */
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

/** `24 s`, `3 min`, `2 h`: how long ago, or how long. */
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

/** What each signal of `risk_signals` says: a name, and what was seen. */
const SIGNALS = {
  MOCK_LOCATION: ["Mock location", "The phone says that an app makes up its position."],
  DEVICE_INTEGRITY: ["Device integrity", "The platform does not vouch for the device or app."],
  SEQUENCE_REPLAY: ["Replayed message", "A sequence number came again with other content."],
  REPEATED_TRACK: ["Repeated track", "The track repeats an earlier one, point by point."],
  JUMP: ["Jump", "A position that no vehicle can reach in the time."],
  RELOCATION: ["Relocation", "It went on at a place that was out of reach."],
  TELEPORTATION: ["Teleportation", "A jump of over a kilometre."],
  ACCELERATION: ["Acceleration", "It speeds up or brakes more than vehicles can."],
  SPEED_CONTRADICTION: ["Speed contradicts track", "The reported speed does not fit the positions."],
  DRIFT: ["Drift", "The position drifts against the reported speed."],
  UNSTEADINESS: ["Unsteady", "It swerves like noise, not like a vehicle."],
  FILTER_RESTART: ["Lost track", "The track went on over 100 m away."],
  EQUAL_STEPS: ["Equal steps", "All steps have the same length."],
  RHYTHM: ["Machine rhythm", "Positions come at exactly equal intervals."],
  FROZEN_FIELDS: ["Frozen fields", "Accuracy, altitude and speed stay the same while it moves."],
  FROZEN_SPEED: ["Frozen speed", "The reported speed stays the same while it moves."],
  OVERDUE_FIELDS: ["Overdue fields", "Fields that this phone usually changes stay the same."],
  OVERDUE_SPEED: ["Overdue speed", "A speed that this phone usually changes stays the same."],
  OVERDUE_HEADING: ["Overdue heading", "A heading that this phone usually changes stays the same while it drives."],
};

export function signalWords(code) {
  const [name, meaning] = SIGNALS[code] ?? [code.toLowerCase().replaceAll("_", " "), ""];
  return { name, meaning };
}

export function standingText({ is_flagged: isFlagged, is_suspect: isSuspect, risk }) {
  if (isFlagged) return "Flagged as a forger. Riders are not shown these positions.";
  if (isSuspect) return "Suspect. Positions are marked, and riders still see them.";
  return risk >= 0.2 ? "Not suspect, but some signals were seen." : "Nothing remarkable.";
}

export const CONNECTION = {
  connecting: "Connecting", live: "Live", reconnecting: "Reconnecting", polling: "Live by polling", offline: "Offline",
  closed: "Stopped",
};

const NOTIFICATIONS = {
  DRIVER_ACCEPTED: ({ facts }) => `${facts?.driver?.first_name ?? "A driver"} accepted the trip`,
  DRIVER_ARRIVED: ({ facts }) => `${facts?.driver?.first_name ?? "Your driver"} has arrived`,
  TRIP_STARTED: () => "The trip has begun",
  TRIP_COMPLETED: () => "The trip is done",
  TRIP_CANCELLED: () => "The trip was cancelled",
  ETA_MOVED: ({ eta_change_seconds: seconds = 0 }) => {
    const minutes = Math.round(Math.abs(seconds) / 60);
    return `Arrival is ${minutes} min ${seconds > 0 ? "later" : "sooner"} than told`;
  },
};

export function notificationText(payload) {
  return NOTIFICATIONS[payload.moment]?.(payload) ?? null;
}

/** What went wrong, and what to do: a title and sentences, by the stable code. */
const PROBLEMS = {
  TOKEN_MISSING: [
    "This link is not complete",
    "It has to contain a token that says what you may see. Copy the whole link and open it again.",
  ],
  TOKEN_INVALID: [
    "This link is not valid",
    "Its token is not accepted, perhaps because a part was cut off. Open the whole link again, or ask for a new one.",
  ],
  TOKEN_EXPIRED: ["This link has expired", "Ask for a new one where you got it."],
  NOT_ALLOWED: ["This link may not show this", "Its token is for something else. Open the right link, or ask for one."],
  TRIP_NOT_FOUND: [
    "This trip is not known",
    "It has not begun yet, or it ended more than a day ago. The page asks again every 10 seconds.",
  ],
  INVALID_SUBSCRIPTION: [
    "This link names nothing that can be shown",
    "Behind trip= or route= there has to be an id of letters, digits and the characters _ . : -. Check the link.",
  ],
};

export function problemWords(code) {
  const [title, text] = PROBLEMS[code] ?? [
    "The gateway refuses this page", "Load the page again. If that does not help, report the code below.",
  ];
  return { title, text };
}
