import { Timers } from "./timers.js";

/** The server takes 10 messages a second. */
const SPACING_MS = 125;

/**
 * Tells the server of one connection which events have come: at once, but never two messages within 125 ms. Of the
 * channels that wait, the first one comes first, and its message is for all of its events.
 */
export class Acknowledger {
  #timers;
  #send;
  #waiting = new Set();

  /** `quietMs`: for how long nothing is sent at first, since other messages are. */
  constructor({ clock, send, quietMs = 0 }) {
    this.#timers = new Timers(clock);
    this.#send = send;
    if (quietMs > 0) this.#pause(quietMs);
  }

  /** An event of this subscription has come. */
  note(subscription) {
    this.#waiting.add(subscription);
    if (!this.#timers.has("pause")) this.#next();
  }

  /** A subscription has ended. */
  forget(subscription) {
    this.#waiting.delete(subscription);
  }

  close() {
    this.#timers.cancelAll();
    this.#waiting.clear();
  }

  #pause(ms) {
    this.#timers.set("pause", ms, () => this.#next());
  }

  #next() {
    const [subscription] = this.#waiting;
    if (!subscription) return;
    this.#waiting.delete(subscription);
    this.#send({ type: "ack", channel: subscription.channel, event_id: subscription.resumeFrom });
    this.#pause(SPACING_MS);
  }
}
