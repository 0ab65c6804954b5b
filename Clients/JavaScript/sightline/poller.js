import { backoffDelay } from "./settings.js";

/** Maximum time for which the server delays its response until a trip has events. */
const LONG_POLL_SECONDS = 25;
/** Timeout of a request, in addition to the long poll. */
const RESPONSE_TIMEOUT_MS = 10000;
/** Duration below which an empty response was not delayed by the server, so the client delays its next request. */
const MINIMUM_HOLD_MS = 1000;
const PERMANENT_STATUSES = new Set([400, 403, 404]);

/**
 * Fetches a channel over HTTP while there is no socket: the events of a trip by long polling, a route or the fleet as
 * snapshots. Calls `onSuccess()`, `onFailure(error)`, or `onRejected(error)` for an error that a retry cannot fix.
 */
export class Poller {
  #subscription;
  #options;
  #isStopped = false;
  /** Ends the current request or delay. */
  #interrupt = () => {};
  #failures = 0;

  constructor(subscription, options) {
    this.#subscription = subscription;
    this.#options = options;
  }

  stop() {
    this.#isStopped = true;
    this.#interrupt();
  }

  async run() {
    while (!this.#isStopped) {
      const delay = await this.#pollOnce();
      if (delay > 0 && !this.#isStopped) await this.#sleep(delay);
    }
  }

  get #path() {
    const { kind, subject, resumeFrom } = this.#subscription;
    if (kind === "fleet") return "/fleet";
    if (kind === "route") return `/routes/${encodeURIComponent(subject)}/vehicles`;
    const after = resumeFrom === undefined ? "" : `after=${encodeURIComponent(resumeFrom)}&`;
    return `/trips/${encodeURIComponent(subject)}/events?${after}wait=${LONG_POLL_SECONDS}`;
  }

  /** Sends one request; returns the delay before the next one in milliseconds. */
  async #pollOnce() {
    const { clock, onSuccess, intervalMs } = this.#options;
    const begin = clock.now();
    try {
      const response = await this.#request();
      if (this.#isStopped) return 0;
      this.#failures = 0;
      onSuccess();
      if (this.#subscription.kind !== "trip") {
        this.#subscription.restart(response, response.cursor);
        return intervalMs;
      }
      if (response.snapshot) this.#subscription.restart(response.snapshot, response.cursor);
      for (const event of response.events) this.#subscription.receive(event);
      // Without a previous event, for example of a trip without a driver, the server does not delay responses.
      const isEmpty = response.events.length === 0
        && (!response.snapshot || this.#subscription.resumeFrom === undefined);
      return isEmpty && clock.now() - begin < MINIMUM_HOLD_MS ? intervalMs : 0;
    } catch (error) {
      return this.#isStopped ? 0 : this.#delayAfter(error);
    }
  }

  async #request() {
    const { clock, request } = this.#options;
    const abort = new AbortController();
    this.#interrupt = () => abort.abort();
    const timer = clock.setTimeout(this.#interrupt, LONG_POLL_SECONDS * 1000 + RESPONSE_TIMEOUT_MS);
    try {
      return await request(this.#path, abort.signal);
    } finally {
      clock.clearTimeout(timer);
    }
  }

  #delayAfter(error) {
    const { intervalMs, random, onFailure, onRejected } = this.#options;
    if (PERMANENT_STATUSES.has(error.status)) {
      this.stop();
      onRejected(error);
      return 0;
    }
    onFailure(error);
    return (error.retryAfterMs ?? 0) + backoffDelay(this.#failures++, intervalMs, intervalMs * 8, random);
  }

  #sleep(ms) {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, ms);
      this.#interrupt = () => {
        clock.clearTimeout(timer);
        resolve();
      };
    });
  }
}
