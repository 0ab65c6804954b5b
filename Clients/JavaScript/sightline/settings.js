/** What is used until `GET /config` has answered, and for what it leaves out. */
const DEFAULTS = {
  socketConnectionData: {
    baseUrl: "",
    socketPath: "/realtime",
    socketReconnectionDelay: 500,
    maxReconnectionDelay: 15000,
    connectionTimeout: 10000,
    transportValues: ["websocket", "polling"],
  },
  pingIntervalMs: 25000,
  pollingIntervalMs: 5000,
};

/** The settings of a gateway, from what its `/config` served; without an argument the defaults. */
export function settings(served = {}) {
  return {
    ...DEFAULTS,
    ...served,
    socketConnectionData: { ...DEFAULTS.socketConnectionData, ...served.socketConnectionData },
  };
}

/** Milliseconds to wait before attempt `attempt` (from 0): full jitter below an exponential bound. */
export function backoffDelay(attempt, firstMs, longestMs, random = Math.random) {
  return random() * Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 30));
}

/** The real clock; tests pass their own with the same three functions. */
export const systemClock = {
  now: () => Date.now(),
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};
