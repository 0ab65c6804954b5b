import { Timers } from "./timers.js";

/** The server accepts 10 messages per second. */
const SPACING_MS = 125;

/**
 * Acknowledges the events of one connection immediately, with at least 125 ms between messages.
 * Channels are served in order, and one message acknowledges all received events of its channel.
 */
export class Acknowledger {
  #timers;
  #send;
  #waiting = new Set();

  /** `quietMs`: delay before the first acknowledgement, while subscriptions are sent. */
  constructor({ clock, send, quietMs = 0 }) {
    this.#timers = new Timers(clock);
    this.#send = send;
    if (quietMs > 0) this.#pause(quietMs);
  }

  /** Acknowledges the received events of a subscription. */
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
