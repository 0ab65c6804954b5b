import { EventCursor } from "./event-id.js";

const CHANNEL = /^(fleet|(trip|route):[A-Za-z0-9_.:-]{1,128})$/;

/** A subscription to one channel: its handlers and its received events. */
export class Subscription {
  #cursor = new EventCursor();
  #handlers;
  /** Whether the server has confirmed the subscription on the current connection. */
  isConfirmed = false;
  /** Whether the server expects acknowledgements of the channel's events. */
  isAcknowledged = false;

  static isChannel(channel) {
    return CHANNEL.test(channel);
  }

  constructor(channel, handlers, lastEventId) {
    this.channel = channel;
    this.#handlers = handlers;
    for (const id of [lastEventId ?? []].flat()) this.#cursor.advance(id);
  }

  /** `trip`, `route` or `fleet`. */
  get kind() {
    return this.channel.split(":", 1)[0];
  }

  /** The id after `trip:` or `route:`. */
  get subject() {
    return this.channel.slice(this.kind.length + 1);
  }

  /** The `last_event_id` to resume from: the last id of each origin and partition, or `undefined`. */
  get resumeFrom() {
    return this.#cursor.last === null ? undefined : this.#cursor.ids;
  }

  /** Replaces everything received before by a snapshot; `cursor`: the last events that the snapshot covers. */
  restart(snapshot, cursor) {
    this.#cursor.clear();
    for (const id of [cursor ?? snapshot.event_id ?? []].flat()) this.#cursor.advance(id);
    this.call("snapshot", snapshot);
  }

  /** Passes an event to the handlers, unless it is a duplicate. */
  receive(event) {
    if (event.event_id !== undefined && !this.#cursor.advance(event.event_id)) return;
    this.call("event", event);
    this.call(event.type, event.payload ?? event, event);
  }

  /**
   * Calls a handler; returns `false` if no handler has this name.
   * An exception in a handler is reported as uncaught and does not affect the connection.
   */
  call(name, ...values) {
    const handler = this.#handlers[name];
    if (typeof handler !== "function") return false;
    try {
      handler(...values);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
    return true;
  }
}
