const EVENT_ID = /^(t?)(\d+)-(\d+)(?:\.(\d+))?(?:\+(\d+))?(?:\/(\d+))?$/;

/**
 * Parses an event id such as `3-184467`, `t3-512` or `3-184467.2+1/1`; returns `null` if it is malformed.
 * `order` contains offset, fix (from 1; 0 if absent), punctuation and message, to be compared lexicographically.
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
 * Tracks the received events of a channel.
 *
 * Ids are ordered only within an origin and partition. For each such pair, the newest id is stored, and an id that is
 * not newer is a duplicate.
 */
export class EventCursor {
  #latestOrders = new Map();
  #latestIds = new Map();
  /** The last received id of any partition; `null` before the first. */
  last = null;

  /** Records an id; returns `false` for a duplicate. A malformed id counts as new and is not stored. */
  advance(id) {
    const parsed = parseEventId(id);
    if (!parsed) return true;
    const key = `${parsed.origin} ${parsed.partition}`;
    const newest = this.#latestOrders.get(key);
    if (newest && !isAfter(parsed.order, newest)) return false;
    this.#latestOrders.set(key, parsed.order);
    this.#latestIds.set(key, id);
    this.last = id;
    return true;
  }

  /** The last id of each origin and partition, to resume from. */
  get ids() {
    return [...this.#latestIds.values()];
  }

  clear() {
    this.#latestOrders.clear();
    this.#latestIds.clear();
    this.last = null;
  }
}
