import { backoffDelay } from "./settings.js";

/** How long the server may hold a request for the events of a trip. */
const LONG_POLL_SECONDS = 25;
/** A request that is not answered so long after that is given up. */
const ANSWER_MS = 10000;
/** An answer that brings nothing new and came sooner than this was not held, so the next request waits. */
const HELD_AT_LEAST_MS = 1000;
const GIVEN_UP = new Set([400, 403, 404]);

/**
 * Fetches a channel over HTTP while there is no socket: the events of a trip by long poll, routes and the fleet as a
 * snapshot each time. It reports `answered()`, `failed(error)`, and `refused(error)` where asking again is no use.
 */
export class Poller {
  #subscription;
  #options;
  #isStopped = false;
  /** Ends the present request or delay. */
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

  /** One request; the milliseconds to wait before the next one. */
  async #pollOnce() {
    const { clock, answered, intervalMs } = this.#options;
    const begin = clock.now();
    try {
      const answer = await this.#request();
      if (this.#isStopped) return 0;
      this.#failures = 0;
      answered();
      if (this.#subscription.kind !== "trip") {
        this.#subscription.restart(answer, answer.cursor);
        return intervalMs;
      }
      if (answer.snapshot) this.#subscription.restart(answer.snapshot, answer.cursor);
      for (const event of answer.events) this.#subscription.receive(event);
      // Without an event to wait after, as of a trip that has no driver yet, the server holds no request.
      const isEmpty = answer.events.length === 0 && (!answer.snapshot || this.#subscription.resumeFrom === undefined);
      return isEmpty && clock.now() - begin < HELD_AT_LEAST_MS ? intervalMs : 0;
    } catch (error) {
      return this.#isStopped ? 0 : this.#delayAfter(error);
    }
  }

  async #request() {
    const { clock, request } = this.#options;
    const abort = new AbortController();
    this.#interrupt = () => abort.abort();
    const timer = clock.setTimeout(this.#interrupt, LONG_POLL_SECONDS * 1000 + ANSWER_MS);
    try {
      return await request(this.#path, abort.signal);
    } finally {
      clock.clearTimeout(timer);
    }
  }

  #delayAfter(error) {
    const { intervalMs, random, failed, refused } = this.#options;
    if (GIVEN_UP.has(error.status)) {
      this.stop();
      refused(error);
      return 0;
    }
    failed(error);
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
