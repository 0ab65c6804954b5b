/** A clock that tests advance. Timers run in order of time, with promises settled between them. */
export class FakeClock {
  #time = Date.parse("2026-11-23T10:00:00.000Z");
  #timers = new Map();
  #next = 1;

  now() { return this.#time; }

  setTimeout(work, ms) {
    this.#timers.set(this.#next, { at: this.#time + ms, work });
    return this.#next++;
  }

  clearTimeout(timer) { this.#timers.delete(timer); }

  get pending() { return this.#timers.size; }

  async advance(ms) {
    const end = this.#time + ms;
    await settle();
    for (;;) {
      const [timer, next] = [...this.#timers].sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
      if (!next || next.at > end) break;
      this.#timers.delete(timer);
      this.#time = Math.max(this.#time, next.at);
      next.work();
      await settle();
    }
    this.#time = end;
    await settle();
  }
}

/** Runs all pending promise callbacks. */
export async function settle() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Replaces WebSocket; the test acts as the server. */
export function fakeSockets() {
  const sockets = [];
  class FakeWebSocket {
    sent = [];
    isClosed = false;

    constructor(url) {
      this.url = new URL(url);
      sockets.push(this);
    }

    send(text) { this.sent.push(JSON.parse(text)); }

    close() { this.isClosed = true; }

    receive(message) { this.onmessage?.({ data: JSON.stringify(message) }); }

    welcome(values = {}) {
      this.receive({ type: "welcome", session_id: "s1", message_id: 1, ping_interval_ms: 25000, ...values });
    }

    disconnect(code = 1006) {
      this.onerror?.({});
      this.onclose?.({ code });
    }
  }
  return { FakeWebSocket, sockets };
}

/** Replaces fetch: returns the answer of a path, or calls it if it is a function, and records the requests. */
export function fakeFetch(answers) {
  const requests = [];
  const fetch = async (url, { headers = {}, signal } = {}) => {
    const { pathname, search } = new URL(url);
    requests.push({ path: pathname + search, headers, signal });
    let answer = answers[pathname];
    if (typeof answer === "function") answer = await answer({ path: pathname + search, headers, signal });
    if (answer === undefined) throw new TypeError("fetch failed");
    const { status = 200, body = answer, retryAfter = null } = answer;
    return { ok: status < 400, status, json: async () => body, headers: { get: () => retryAfter } };
  };
  return { fetch, requests };
}

/** An answer that never arrives: the request fails when it is aborted. */
export const unanswered = ({ signal }) => new Promise((_, reject) => {
  signal.addEventListener("abort", () => reject(new Error("aborted")));
});

export function event(id, type = "eta_update", channel = "trip:tr_1") {
  return { type, event_id: id, channel, payload: { id } };
}
