/** Settings until `GET /config` responds, and for members that it omits. */
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

/** Returns the settings of a gateway from its `/config`, or the defaults. */
export function settings(served = {}) {
  return {
    ...DEFAULTS,
    ...served,
    socketConnectionData: { ...DEFAULTS.socketConnectionData, ...served.socketConnectionData },
  };
}

/** Returns the delay in milliseconds before an attempt (from 0): exponential backoff with full jitter. */
export function backoffDelay(attempt, firstMs, longestMs, random = Math.random) {
  return random() * Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 30));
}

/** The system clock; tests pass a fake with the same functions. */
export const systemClock = {
  now: () => Date.now(),
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};
