const EVENT_ID = /^(t?)(\d+)-(\d+)(?:\.(\d+))?(?:\+(\d+))?(?:\/(\d+))?$/;

/**
 * The parts of an event id such as `3-184467`, `t3-512` or `3-184467.2+1/1`; `null` when it is malformed.
 * `order` holds offset, fix (from 1; 0 without one), punctuation and message, and is compared in this order.
 */
export function parseEventId(text) {
  const match = typeof text === "string" ? EVENT_ID.exec(text) : null;
  if (!match) return null;
  const [, origin, partition, offset, fix, punctuation, message] = match;
  return {
    origin: origin === "t" ? "trips" : "raw",
    partition: Number(partition),
    order: [
      Number(offset), fix === undefined ? 0 : Number(fix) + 1, Number(punctuation ?? 0), Number(message ?? 0),
    ],
  };
}

function isAfter(order, other) {
  const index = order.findIndex((part, position) => part !== other[position]);
  return index >= 0 && order[index] > other[index];
}

/**
 * Which events of a channel have been received.
 *
 * Ids of one origin and partition are ordered, and others cannot be compared. So the newest of each is kept, and what
 * does not advance it is a repetition.
 */
export class EventCursor {
  #newest = new Map();
  #lastOfSource = new Map();
  /** The id that was received last, of whatever partition; `null` before the first one. */
  last = null;

  /** Notes an id; `false` when it is a repetition. An id of an unknown form is taken for new and not kept. */
  advance(id) {
    const parsed = parseEventId(id);
    if (!parsed) return true;
    const key = `${parsed.origin} ${parsed.partition}`;
    const newest = this.#newest.get(key);
    if (newest && !isAfter(parsed.order, newest)) return false;
    this.#newest.set(key, parsed.order);
    this.#lastOfSource.set(key, id);
    this.last = id;
    return true;
  }

  /** The last id of each origin and partition, which is where a channel resumes. */
  get list() {
    return [...this.#lastOfSource.values()];
  }

  clear() {
    this.#newest.clear();
    this.#lastOfSource.clear();
    this.last = null;
  }
}
