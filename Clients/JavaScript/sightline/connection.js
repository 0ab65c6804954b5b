import { Timers } from "./timers.js";

/** No message for so many ping intervals means that the connection is dead. */
const SILENT_INTERVALS = 2.5;
const CLOSED_FOR_TOKEN = 4401;

/**
 * One WebSocket from its opening to its end. It reports `message(message)` for every message but `welcome`,
 * `welcome(message)` once, and `end(reason)` once, unless `close()` came first.
 */
export class Connection {
  #timers;
  #socket = null;
  #report;
  #pingIntervalMs;
  isWelcome = false;

  constructor({ clock, settings, report }) {
    this.#timers = new Timers(clock);
    this.#report = report;
    this.#pingIntervalMs = settings.pingIntervalMs;
    this.#timers.set("opening", settings.socketConnectionData.connectionTimeout, () => this.#end("CONNECTION_TIMEOUT"));
  }

  /** Opens the socket. Until then only the time for opening runs, so that a token may be fetched in it. */
  open(WebSocket, url) {
    if (!this.#report) return;
    try {
      this.#socket = new WebSocket(url);
    } catch {
      this.#end("CONNECTION_FAILED");
      return;
    }
    this.#socket.onmessage = ({ data }) => this.#receive(data);
    this.#socket.onclose = ({ code }) => this.#end(code === CLOSED_FOR_TOKEN ? "TOKEN_INVALID" : `CLOSED_${code}`);
    // A browser tells nothing of an error but that there was one; the close that follows has the code.
    this.#socket.onerror = () => {};
  }

  send(message) {
    try {
      this.#socket?.send(JSON.stringify(message));
    } catch {
      // The socket is closing, and its end is reported.
    }
  }

  /** Ends it without a report. */
  close() {
    this.#report = null;
    this.#timers.cancelAll();
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onmessage = socket.onclose = null;
    try {
      socket.close();
    } catch {
      // Some implementations refuse to close what was not open yet.
    }
  }

  #end(reason) {
    const report = this.#report;
    this.close();
    report?.end(reason);
  }

  #receive(data) {
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    if (message.type === "welcome") {
      this.isWelcome = true;
      this.#timers.cancel("opening");
      this.#pingIntervalMs = message.ping_interval_ms ?? this.#pingIntervalMs;
    }
    this.#expectMessages();
    if (message.type === "welcome") this.#report.welcome(message);
    else this.#report.message(message);
  }

  /** After an interval without a message it asks for one: a page does not see the server's own pings. */
  #expectMessages() {
    this.#timers.set("ping", this.#pingIntervalMs, () => this.send({ type: "ping" }));
    this.#timers.set("silence", this.#pingIntervalMs * SILENT_INTERVALS, () => this.#end("HEARTBEAT_MISSED"));
  }
}
