/**
 * Client of Sightline's rider-gateway: many channels over one WebSocket, each event delivered exactly once.
 *
 * Reconnects with exponential backoff and full jitter, resumes each channel after its last event, and polls over HTTP
 * after three failed connections in a row. Has no dependencies and needs no build step.
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
/** A connection resets the backoff if it lasts for this many times `socketReconnectionDelay`. */
const STABLE_DELAYS = 10;
/** The server accepts 10 messages per second after a burst of 20; subscriptions stay below both limits. */
const BURST = 15;
const SPACING_MS = 125;
/** Errors that end the connection, in addition to token errors. */
const CONNECTION_CODES = new Set(["SERVER_CLOSING", "SLOW_READER", "NOT_ACKNOWLEDGED"]);

/** README.md describes the options, and `sightline.d.ts` all types. */
export class SightlineClient {
  #options;
  #clock;
  #timers;
  #settings = settings();
  #hasServedSettings = false;
  #subscriptions = new Map();
  #pollers = new Map();
  #connection = null;
  /** Acknowledger of the current connection; `null` if events are not acknowledged. */
  #acknowledger = null;
  #isStarted = false;
  /** Attempts since the last stable connection, as the exponent of the backoff. */
  #attempt = 0;
  /** Consecutive connections that failed before the server sent `welcome`. */
  #failures = 0;
  #token;
  #rejectedTokens = 0;
  /** Delay that the server requested before the next connection, in milliseconds. */
  #serverDelayMs = null;
  #hasServerDelay = false;
  #clockOffsetMs = 0;
  #isPollingWorking = false;
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
        "No WebSocket is available. Pass one as the option WebSocket; for Node 20, use the package ws.");
    }
    if (!this.#options.url) {
      throw new SightlineError(
        "NO_URL", "Pass the gateway's address as the option url, such as http://localhost:8080.");
    }
    this.#clock = options.clock ?? systemClock;
    this.#timers = new Timers(this.#clock);
    this.#token = options.token ?? null;
  }

  /** `connecting`, `live`, `reconnecting`, `polling` or `closed`, with a reason and details. */
  get status() {
    return this.#status;
  }

  /** Returns the server's time in milliseconds since 1970, estimated from message timestamps. */
  now() {
    return this.#clock.now() + this.#clockOffsetMs;
  }

  /**
   * Subscribes to `trip:ID`, `route:ID` or `fleet`, and connects if necessary.
   * A channel can have only one subscription.
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

  /** Connects, also after `close()`; has no effect while the client is connecting or connected. */
  connect() {
    if (this.#isStarted) return;
    this.#isStarted = true;
    [this.#attempt, this.#failures, this.#rejectedTokens, this.#serverDelayMs] = [0, 0, 0, null];
    this.#open();
  }

  /** Reconnects now instead of after the backoff, unless the server requested a delay. */
  retryNow() {
    if (this.#timers.has("retry") && !this.#hasServerDelay) this.#open();
  }

  /** Fetches a new token with `getToken` and sends it to the server; call it before the old one expires. */
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
        end: (reason) => this.#handleEnd(reason),
      },
    });
    this.#connection = connection;
    try {
      await this.#loadSettings();
      await this.#loadToken();
    } catch (error) {
      if (connection === this.#connection) this.#handleEnd(error.code ?? "TOKEN_UNAVAILABLE");
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

  /** Drops the connection and schedules the next one, or closes the client if a rejected token cannot be replaced. */
  #handleEnd(reason, error = null) {
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
    const status = this.#isPollingWorking ? "polling" : "reconnecting";
    this.#setStatus(status, { reason, retryInMs, failures: this.#failures });
    this.#timers.set("retry", retryInMs, () => this.#open());
  }

  #nextDelay(reason) {
    const serverDelay = this.#serverDelayMs;
    this.#serverDelayMs = null;
    this.#hasServerDelay = serverDelay !== null;
    if (isTokenCode(reason) && this.#rejectedTokens === 1) return 0;
    const { socketReconnectionDelay, maxReconnectionDelay } = this.#settings.socketConnectionData;
    // A server that shuts down sends each client a random delay, so the client adds no backoff.
    if (serverDelay !== null && reason === "SERVER_CLOSING") return serverDelay;
    const backoff = backoffDelay(this.#attempt++, socketReconnectionDelay, maxReconnectionDelay, this.#options.random);
    return (serverDelay ?? 0) + backoff;
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
    this.#updateClockOffset(message);
    this.#failures = 0;
    this.#stopPolling();
    this.#setStatus("live");
    this.#timers.set("stable", this.#settings.socketConnectionData.socketReconnectionDelay * STABLE_DELAYS, () => {
      [this.#attempt, this.#rejectedTokens] = [0, 0];
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
    if (message.timestamp && message.event_id === undefined) this.#updateClockOffset(message);
    switch (message.type) {
      case "subscribed": return this.#confirm(message);
      case "error": return this.#handleError(message);
      case "pong": case "unsubscribed": case "authenticated": case "state_sync": return;
      default: {
        const channel = message.channel ?? (message.type === "fleet_positions" ? "fleet" : "");
        const subscription = this.#subscriptions.get(channel);
        subscription?.receive(message);
        // A position needs no acknowledgement, because the next one replaces it.
        if (subscription?.isAcknowledged && message.type !== "driver_location") this.#acknowledger?.add(subscription);
      }
    }
  }

  #confirm(message) {
    const subscription = this.#subscriptions.get(message.channel);
    if (!subscription) return;
    subscription.isConfirmed = true;
    subscription.isAcknowledged = message.acknowledge === true;
    this.#rejectedTokens = 0;
    if (message.snapshot) subscription.restart(message.snapshot, message.cursor);
  }

  #handleError({ code, message, channel = null, retry_after_ms: retryAfterMs = null }) {
    const error = new SightlineError(code, message, { channel, retryAfterMs });
    const subscription = this.#subscriptions.get(channel);
    if (isTokenCode(code) || CONNECTION_CODES.has(code)) {
      this.#serverDelayMs = retryAfterMs;
      this.#handleEnd(code, error);
    } else if (retryAfterMs !== null) {
      // The delay also applies to the next connection, if the server closes the current one.
      if (!channel) this.#serverDelayMs = retryAfterMs;
      this.#report(error);
      const all = [...this.#subscriptions.values()];
      const pending = subscription ? [subscription] : all.filter((one) => !one.isConfirmed);
      const jitter = this.#options.random() * this.#settings.socketConnectionData.socketReconnectionDelay;
      for (const one of pending) this.#request(one, retryAfterMs + jitter);
      // The rejected message may have been an acknowledgement, so send all acknowledgements again.
      for (const one of all) if (one.isAcknowledged) this.#acknowledger?.add(one);
    } else if (subscription) {
      this.#remove(subscription, error);
    } else {
      this.#report(error);
    }
  }

  /** Uses the largest offset of a connection, because it comes from the message with the shortest delay. */
  #updateClockOffset({ type, timestamp }) {
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
    this.#remove(subscription);
    if (this.#connection?.isWelcome) this.#connection.send({ type: "unsubscribe", channel: subscription.channel });
  }

  /** Removes a subscription; reports `error` if the server rejected it. */
  #remove(subscription, error = null) {
    this.#subscriptions.delete(subscription.channel);
    this.#acknowledger?.remove(subscription);
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
      onSuccess: () => this.#setPollingWorking(true, this.#status.reason),
      onFailure: (error) => this.#setPollingWorking(false, error.code),
      onRejected: (error) => this.#remove(subscription, error),
    });
    this.#pollers.set(subscription.channel, poller);
    poller.run();
  }

  #setPollingWorking(isWorking, reason) {
    if (isWorking) this.#rejectedTokens = 0;
    if (isWorking === this.#isPollingWorking || !this.#isStarted) return;
    this.#isPollingWorking = isWorking;
    this.#setStatus(isWorking ? "polling" : "reconnecting", { reason, failures: this.#failures });
  }

  #stopPolling() {
    for (const poller of this.#pollers.values()) poller.stop();
    this.#pollers.clear();
    this.#isPollingWorking = false;
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
      // Use the defaults until the gateway responds.
    }
  }

  async #loadToken() {
    this.#token ??= (await this.#options.getToken?.()) ?? null;
  }

  /** Counts a rejected token; discards it and returns `true` if a new token may be fetched, up to twice in a row. */
  #mayFetchToken() {
    this.#rejectedTokens += 1;
    if (!this.#options.getToken || this.#rejectedTokens > 2) return false;
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
