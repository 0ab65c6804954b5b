import { Timers } from "./timers.js";

/** The server accepts 10 messages per second. */
const SPACING_MS = 125;

/**
 * Acknowledges the events of one connection as soon as possible, with at least 125 ms between messages.
 * The channel that has waited longest comes first. A message acknowledges all received events of its channel.
 */
export class Acknowledger {
  #timers;
  #send;
  #waiting = new Set();

  /** `quietMs`: delay before the first acknowledgement, in which the subscriptions are sent. */
  constructor({ clock, send, quietMs = 0 }) {
    this.#timers = new Timers(clock);
    this.#send = send;
    if (quietMs > 0) this.#pause(quietMs);
  }

  /** Acknowledges the received events of a subscription, now or after a pause. */
  add(subscription) {
    this.#waiting.add(subscription);
    if (!this.#timers.has("pause")) this.#next();
  }

  remove(subscription) {
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
