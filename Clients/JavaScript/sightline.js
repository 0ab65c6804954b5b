/**
 * A client of Sightline's rider-gateway: one WebSocket, many channels, no event missed and none given twice.
 *
 * It reconnects with exponential backoff and full jitter, resumes each channel after the last event it has, and polls
 * over HTTP where the socket fails three times in a row. It has no dependencies and needs no build step.
 */
import { Acknowledger } from "./sightline/acknowledger.js";
import { Connection } from "./sightline/connection.js";
import { SightlineError, isTokenCode } from "./sightline/errors.js";
import { getJSON } from "./sightline/http.js";
import { Poller } from "./sightline/poller.js";
import { backoffDelay, settings, systemClock } from "./sightline/settings.js";
import { Subscription } from "./sightline/subscription.js";
import { Timers } from "./sightline/timers.js";

export { SightlineError } from "./sightline/errors.js";
export { parseEventId } from "./sightline/event-id.js";
export { backoffDelay } from "./sightline/settings.js";

const FAILURES_BEFORE_POLLING = 3;
/** A connection that held for so many first delays starts the backoff anew when it breaks. */
const SETTLED_DELAYS = 10;
/** The server takes 10 messages a second after a burst of 20; subscriptions keep below both. */
const BURST = 15;
const SPACING_MS = 125;
/** Errors that end the connection, besides those of the token. */
const CONNECTION_CODES = new Set(["SERVER_CLOSING", "SLOW_READER", "NOT_ACKNOWLEDGED"]);

/** See README.md for the options, and `sightline.d.ts` for all types. */
export class SightlineClient {
  #options;
  #clock;
  #timers;
  #settings = settings();
  #hasServedSettings = false;
  #subscriptions = new Map();
  #pollers = new Map();
  #connection = null;
  /** Of the present connection, where events are acknowledged. */
  #acknowledger = null;
  #isStarted = false;
  /** Attempts since a connection last held; the exponent of the backoff. */
  #attempt = 0;
  /** Connections in a row that ended before the server's welcome. */
  #failures = 0;
  #token;
  #refusedTokens = 0;
  /** What the server has told us to wait before the next connection, in milliseconds. */
  #toldDelayMs = null;
  #isDelayTold = false;
  #clockOffsetMs = 0;
  #isPollingAnswered = false;
  #status = { status: "closed", reason: "NOT_STARTED" };

  constructor(options = {}) {
    this.#options = {
      ...options,
      random: options.random ?? Math.random,
      fetch: options.fetch ?? globalThis.fetch?.bind(globalThis),
      url: options.url ?? globalThis.location?.origin,
      WebSocket: options.WebSocket ?? globalThis.WebSocket,
    };
    if (!this.#options.WebSocket) {
      throw new SightlineError(
        "NO_WEBSOCKET",
        "There is no WebSocket here. Pass one as the option WebSocket; for Node 20 the package ws has one.");
    }
    if (!this.#options.url) {
      throw new SightlineError(
        "NO_URL", "Pass the gateway's address as the option url, such as http://localhost:8080.");
    }
    this.#clock = options.clock ?? systemClock;
    this.#timers = new Timers(this.#clock);
    this.#token = options.token ?? null;
  }

  /** `connecting`, `live`, `reconnecting`, `polling` or `closed`, with a reason and what else is known. */
  get status() {
    return this.#status;
  }

  /** The server's time in milliseconds since 1970, by the newest message that told it. */
  now() {
    return this.#clock.now() + this.#clockOffsetMs;
  }

  /**
   * Subscribes to `trip:ID`, `route:ID` or `fleet`, and connects if that has not happened yet.
   * A channel has one subscription at a time.
   */
  subscribe(channel, handlers, { lastEventId } = {}) {
    if (!Subscription.isChannel(channel)) {
      throw new SightlineError("INVALID_SUBSCRIPTION", `The channel ${channel} is not trip:ID, route:ID or fleet.`);
    }
    if (this.#subscriptions.has(channel)) {
      throw new SightlineError("INVALID_SUBSCRIPTION", `${channel} is subscribed already: unsubscribe it first.`);
    }
    const subscription = new Subscription(channel, handlers, lastEventId);
    this.#subscriptions.set(channel, subscription);
    if (!this.#isStarted) this.connect();
    else if (this.#connection?.isWelcome) this.#request(subscription);
    else if (this.#isPollingDue) this.#poll(subscription);
    return {
      channel,
      get lastEventId() {
        return subscription.resumeFrom ?? null;
      },
      unsubscribe: () => this.#unsubscribe(subscription),
    };
  }

  /** Connects; also again after `close()`. Does nothing while the client is connected or trying to be. */
  connect() {
    if (this.#isStarted) return;
    this.#isStarted = true;
    [this.#attempt, this.#failures, this.#refusedTokens, this.#toldDelayMs] = [0, 0, 0, null];
    this.#open();
  }

  /** Tries at once what would be tried later, such as when the network is back. A delay that the server set stays. */
  retryNow() {
    if (this.#timers.has("retry") && !this.#isDelayTold) this.#open();
  }

  /** Fetches a new token by `getToken` and gives it to the server, which is best done before the old one expires. */
  async refreshToken() {
    this.#token = await this.#options.getToken();
    if (this.#connection?.isWelcome) this.#connection.send({ type: "authenticate", token: this.#token });
  }

  /** Ends the connection. Subscriptions stay, and a later `connect()` resumes them. */
  close(reason = "CLOSED_BY_CLIENT") {
    this.#isStarted = false;
    this.#detach();
    this.#stopPolling();
    this.#setStatus("closed", { reason });
  }

  // Connections

  async #open() {
    this.#timers.cancel("retry");
    if (this.#status.status === "closed") this.#setStatus("connecting");
    const connection = new Connection({
      clock: this.#clock,
      settings: this.#settings,
      report: {
        welcome: (message) => this.#welcome(message),
        message: (message) => this.#receive(message),
        end: (reason) => this.#ended(reason),
      },
    });
    this.#connection = connection;
    try {
      await this.#loadSettings();
      await this.#loadToken();
    } catch (error) {
      if (connection === this.#connection) this.#ended(error.code ?? "TOKEN_UNAVAILABLE");
      return;
    }
    if (connection === this.#connection) connection.open(this.#options.WebSocket, this.#socketURL);
  }

  get #socketURL() {
    const { baseUrl, socketPath } = this.#settings.socketConnectionData;
    const url = new URL(socketPath, baseUrl || this.#options.url);
    url.protocol = url.protocol.replace("http", "ws");
    if (this.#token) url.searchParams.set("token", this.#token);
    return url.href;
  }

  /** Leaves this connection, and decides when the next one is tried. */
  #ended(reason, error = null) {
    const wasWelcome = this.#connection?.isWelcome;
    this.#detach();
    if (!this.#isStarted) return;
    if (isTokenCode(reason) && !this.#mayFetchToken()) {
      this.close(reason);
      this.#report(error ?? new SightlineError(reason, "The gateway does not accept the token."));
      return;
    }
    if (!wasWelcome && !isTokenCode(reason)) this.#failures += 1;
    const retryInMs = this.#nextDelay(reason);
    if (this.#isPollingDue) for (const subscription of [...this.#subscriptions.values()]) this.#poll(subscription);
    const status = this.#isPollingAnswered ? "polling" : "reconnecting";
    this.#setStatus(status, { reason, retryInMs, failures: this.#failures });
    this.#timers.set("retry", retryInMs, () => this.#open());
  }

  #nextDelay(reason) {
    const told = this.#toldDelayMs;
    this.#toldDelayMs = null;
    this.#isDelayTold = told !== null;
    if (isTokenCode(reason) && this.#refusedTokens === 1) return 0;
    const { socketReconnectionDelay, maxReconnectionDelay } = this.#settings.socketConnectionData;
    // A server that closes has spread its clients over time itself.
    if (told !== null && reason === "SERVER_CLOSING") return told;
    const backoff = backoffDelay(this.#attempt++, socketReconnectionDelay, maxReconnectionDelay, this.#options.random);
    return (told ?? 0) + backoff;
  }

  #detach() {
    this.#timers.cancelAll();
    this.#connection?.close();
    this.#connection = null;
    this.#acknowledger?.close();
    this.#acknowledger = null;
    for (const subscription of this.#subscriptions.values()) {
      subscription.isConfirmed = subscription.isAcknowledged = false;
    }
  }

  // Messages

  #welcome(message) {
    this.#noteServerTime(message);
    this.#failures = 0;
    this.#stopPolling();
    this.#setStatus("live");
    this.#timers.set("settled", this.#settings.socketConnectionData.socketReconnectionDelay * SETTLED_DELAYS, () => {
      [this.#attempt, this.#refusedTokens] = [0, 0];
    });
    const delayMs = (index) => Math.max(0, index + 1 - BURST) * SPACING_MS;
    [...this.#subscriptions.values()].forEach((subscription, index) => this.#request(subscription, delayMs(index)));
    if (!this.#options.acknowledge) return;
    const connection = this.#connection;
    this.#acknowledger = new Acknowledger({
      clock: this.#clock,
      send: (message) => connection.send(message),
      quietMs: delayMs(this.#subscriptions.size),
    });
  }

  #receive(message) {
    if (message.timestamp && message.event_id === undefined) this.#noteServerTime(message);
    switch (message.type) {
      case "subscribed": return this.#confirm(message);
      case "error": return this.#refuse(message);
      case "pong": case "unsubscribed": case "authenticated": case "state_sync": return;
      default: {
        const channel = message.channel ?? (message.type === "fleet_positions" ? "fleet" : "");
        const subscription = this.#subscriptions.get(channel);
        subscription?.receive(message);
        // A position needs no acknowledgement: the next one takes its place.
        if (subscription?.isAcknowledged && message.type !== "driver_location") this.#acknowledger?.note(subscription);
      }
    }
  }

  #confirm(message) {
    const subscription = this.#subscriptions.get(message.channel);
    if (!subscription) return;
    subscription.isConfirmed = true;
    subscription.isAcknowledged = message.acknowledge === true;
    this.#refusedTokens = 0;
    if (message.snapshot) subscription.restart(message.snapshot, message.cursor);
  }

  #refuse({ code, message, channel = null, retry_after_ms: retryAfterMs = null }) {
    const error = new SightlineError(code, message, { channel, retryAfterMs });
    const subscription = this.#subscriptions.get(channel);
    if (isTokenCode(code) || CONNECTION_CODES.has(code)) {
      this.#toldDelayMs = retryAfterMs;
      this.#ended(code, error);
    } else if (retryAfterMs !== null) {
      // If the server closes the connection after this, the next one waits as long.
      if (!channel) this.#toldDelayMs = retryAfterMs;
      this.#report(error);
      const again = subscription ? [subscription] : [...this.#subscriptions.values()].filter((one) => !one.isConfirmed);
      const jitter = this.#options.random() * this.#settings.socketConnectionData.socketReconnectionDelay;
      for (const one of again) this.#request(one, retryAfterMs + jitter);
      // It may be an acknowledgement that was not taken.
      for (const one of this.#subscriptions.values()) if (one.isAcknowledged) this.#acknowledger?.note(one);
    } else if (subscription) {
      this.#forget(subscription, error);
    } else {
      this.#report(error);
    }
  }

  /** Of a connection's messages, the one that travelled fastest tells the server's time best. */
  #noteServerTime({ type, timestamp }) {
    const offset = Date.parse(timestamp) - this.#clock.now();
    if (Number.isNaN(offset)) return;
    this.#clockOffsetMs = type === "welcome" ? offset : Math.max(offset, this.#clockOffsetMs);
  }

  // Subscriptions

  #request(subscription, delayMs = 0) {
    const { channel } = subscription;
    if (delayMs > 0) {
      this.#timers.set(`subscribe ${channel}`, delayMs, () => this.#request(subscription));
    } else if (this.#subscriptions.get(channel) === subscription) {
      const acknowledge = (this.#options.acknowledge && subscription.kind !== "fleet") || undefined;
      this.#connection?.send({ type: "subscribe", channel, last_event_id: subscription.resumeFrom, acknowledge });
    }
  }

  #unsubscribe(subscription) {
    if (this.#subscriptions.get(subscription.channel) !== subscription) return;
    this.#forget(subscription);
    if (this.#connection?.isWelcome) this.#connection.send({ type: "unsubscribe", channel: subscription.channel });
  }

  /** Gives a subscription up; with an error it was refused, and its owner is told. */
  #forget(subscription, error = null) {
    this.#subscriptions.delete(subscription.channel);
    this.#acknowledger?.forget(subscription);
    this.#timers.cancel(`subscribe ${subscription.channel}`);
    this.#pollers.get(subscription.channel)?.stop();
    this.#pollers.delete(subscription.channel);
    if (error && !subscription.call("error", error)) this.#report(error);
  }

  // Polling

  get #isPollingDue() {
    const { transportValues } = this.#settings.socketConnectionData;
    return this.#failures >= FAILURES_BEFORE_POLLING && (transportValues?.includes("polling") ?? true);
  }

  #poll(subscription) {
    if (this.#pollers.has(subscription.channel)) return;
    const poller = new Poller(subscription, {
      clock: this.#clock,
      random: this.#options.random,
      intervalMs: this.#settings.pollingIntervalMs,
      request: (path, signal) => this.#get(path, signal),
      answered: () => this.#setPollingAnswered(true, this.#status.reason),
      failed: (error) => this.#setPollingAnswered(false, error.code),
      refused: (error) => this.#forget(subscription, error),
    });
    this.#pollers.set(subscription.channel, poller);
    poller.run();
  }

  #setPollingAnswered(isAnswered, reason) {
    if (isAnswered) this.#refusedTokens = 0;
    if (isAnswered === this.#isPollingAnswered || !this.#isStarted) return;
    this.#isPollingAnswered = isAnswered;
    this.#setStatus(isAnswered ? "polling" : "reconnecting", { reason, failures: this.#failures });
  }

  #stopPolling() {
    for (const poller of this.#pollers.values()) poller.stop();
    this.#pollers.clear();
    this.#isPollingAnswered = false;
  }

  async #get(path, signal) {
    await this.#loadToken();
    const url = new URL(path, this.#options.url).href;
    try {
      return await getJSON(this.#options.fetch, url, { token: this.#token, signal });
    } catch (error) {
      if (error.status === 401 && !signal.aborted && !this.#mayFetchToken()) {
        this.close(error.code);
        this.#report(error);
      }
      throw error;
    }
  }

  // Settings, token, status

  async #loadSettings() {
    if (this.#hasServedSettings) return;
    try {
      const url = new URL("/config", this.#options.url).href;
      this.#settings = settings(this.#options.config ?? (await getJSON(this.#options.fetch, url)));
      this.#hasServedSettings = true;
    } catch {
      // The defaults hold until it answers.
    }
  }

  async #loadToken() {
    this.#token ??= (await this.#options.getToken?.()) ?? null;
  }

  /** Forgets the refused token; whether another may be fetched, which is tried twice. */
  #mayFetchToken() {
    this.#refusedTokens += 1;
    if (!this.#options.getToken || this.#refusedTokens > 2) return false;
    this.#token = null;
    return true;
  }

  #setStatus(status, details = {}) {
    this.#status = { status, ...details };
    this.#options.onStatus?.(this.#status);
    for (const subscription of [...this.#subscriptions.values()]) subscription.call("status", this.#status);
  }

  #report(error) {
    this.#options.onError?.(error);
  }
}
