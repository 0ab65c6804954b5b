import { Timers } from "./timers.js";

/** A connection without a message for this many ping intervals is considered lost. */
const SILENT_INTERVALS = 2.5;
const CLOSED_FOR_TOKEN = 4401;

/**
 * One WebSocket connection. Reports `welcome(message)` once, `message(message)` for every other message, and
 * `end(reason)` once, unless `close()` was called.
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

  /** Opens the socket. The connection timeout started in the constructor, so it includes the time to fetch a token. */
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
    // Error events have no details; the close event that follows has the code.
    this.#socket.onerror = () => {};
  }

  send(message) {
    try {
      this.#socket?.send(JSON.stringify(message));
    } catch {
      // The socket is closing; its end will be reported.
    }
  }

  /** Closes the connection without a report. */
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
      // Some implementations throw if the socket was not open yet.
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
    this.#restartSilenceTimers();
    if (message.type === "welcome") this.#report.welcome(message);
    else this.#report.message(message);
  }

  /** Restarts the timers for silence. The client sends pings, because a page cannot see the server's pings. */
  #restartSilenceTimers() {
    this.#timers.set("ping", this.#pingIntervalMs, () => this.send({ type: "ping" }));
    this.#timers.set("silence", this.#pingIntervalMs * SILENT_INTERVALS, () => this.#end("HEARTBEAT_MISSED"));
  }
}
