import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffDelay } from "../sightline.js";
import { event, settle } from "../testing/fakes.mjs";
import { harness } from "../testing/harness.mjs";

test("the delay is random, below a bound that doubles up to the maximum", () => {
  const bounds = [0, 1, 2, 3, 4, 5, 6, 100].map((attempt) => backoffDelay(attempt, 500, 15000, () => 1));
  assert.deepEqual(bounds, [500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
  assert.equal(backoffDelay(3, 500, 15000, () => 0), 0);
  assert.equal(backoffDelay(3, 500, 15000, () => 0.25), 1000);
});

test("a client goes from connecting to live, and sends the token in the URL", async () => {
  const setup = harness();
  await setup.goLive();
  assert.deepEqual(setup.statusNames(), ["connecting", "live"]);
  assert.equal(setup.socket.url.href, "ws://gateway.test/realtime?token=T1");
  assert.deepEqual(setup.socket.sent, [{ type: "subscribe", channel: "trip:tr_1" }]);
});

test("an https gateway is connected over wss, at the address in its settings", async () => {
  const socketConnectionData = { baseUrl: "https://sockets.test", socketPath: "/r" };
  const setup = harness({ url: "https://gateway.test", config: { socketConnectionData } });
  setup.client.connect();
  await settle();
  assert.equal(setup.socket.url.href, "wss://sockets.test/r?token=T1");
  assert.equal(setup.requests.length, 0, "settings passed as an option are not requested");
});

test("each attempt uses the next backoff of the served settings", async () => {
  const socketConnectionData = {
    socketReconnectionDelay: 100, maxReconnectionDelay: 350, transportValues: ["websocket"],
  };
  const setup = harness({ answers: { "/config": { socketConnectionData } } });
  setup.random = 0.999;
  await setup.goLive();
  const delays = [];
  for (let attempt = 0; attempt < 5; attempt += 1) {
    setup.socket.disconnect();
    delays.push(setup.client.status.retryInMs);
    await setup.clock.advance(400);
  }
  assert.deepEqual(delays.map(Math.ceil), [100, 200, 350, 350, 350]);
});

test("only a stable connection resets the backoff", async () => {
  const setup = harness();
  await setup.goLive();
  for (let round = 0; round < 4; round += 1) {
    await setup.reconnect();
  }
  setup.socket.disconnect();
  assert.equal(setup.client.status.retryInMs, 0.5 * 8000, "four connections broke at once");
  await setup.clock.advance(8000);
  setup.socket.welcome();
  await setup.clock.advance(5000);
  setup.socket.disconnect();
  assert.equal(setup.client.status.retryInMs, 0.5 * 500, "the connection lasted for ten initial delays");
});

test("a connection that does not open in time is closed", async () => {
  const setup = harness();
  setup.client.connect();
  await setup.clock.advance(9999);
  assert.equal(setup.client.status.status, "connecting");
  await setup.clock.advance(1);
  assert.equal(setup.client.status.reason, "CONNECTION_TIMEOUT");
  assert.ok(setup.sockets[0].isClosed);
});

test("retryNow skips the backoff, but not a delay from the server", async () => {
  const setup = harness();
  await setup.goLive();
  setup.socket.disconnect();
  setup.client.retryNow();
  await settle();
  assert.equal(setup.sockets.length, 2);
  setup.socket.welcome();
  setup.socket.receive({ type: "error", code: "SERVER_CLOSING", message: "…", retry_after_ms: 3000 });
  setup.client.retryNow();
  await settle();
  assert.equal(setup.sockets.length, 2);
});

test("after SERVER_CLOSING the client reconnects after exactly the server's delay", async () => {
  const setup = harness();
  await setup.goLive();
  setup.socket.receive({ type: "error", code: "SERVER_CLOSING", message: "…", retry_after_ms: 3210 });
  assert.ok(setup.sockets[0].isClosed);
  assert.equal(setup.client.status.retryInMs, 3210);
  await setup.clock.advance(3209);
  assert.equal(setup.sockets.length, 1);
  await setup.clock.advance(1);
  assert.equal(setup.sockets.length, 2);
});

test("after a rate limit the client waits for the server's delay plus a backoff", async () => {
  const setup = harness();
  await setup.goLive();
  setup.socket.receive({ type: "error", code: "RATE_LIMITED", message: "…", retry_after_ms: 2000 });
  setup.socket.disconnect(4429);
  assert.equal(setup.client.status.retryInMs, 2000 + 0.5 * 500);
});

test("a subscription with a temporary error is retried after the server's delay", async () => {
  const setup = harness();
  setup.client.subscribe("trip:tr_1", setup.handlers);
  await settle();
  setup.socket.welcome();
  const error = { type: "error", code: "TRY_AGAIN", message: "…" };
  setup.socket.receive({ ...error, channel: "trip:tr_1", retry_after_ms: 1000 });
  await setup.clock.advance(1249);
  assert.equal(setup.socket.sent.length, 1);
  await setup.clock.advance(1);
  assert.deepEqual(setup.socket.sent[1], { type: "subscribe", channel: "trip:tr_1" });
  assert.equal(setup.record.clientErrors[0].code, "TRY_AGAIN");
});

test("silence causes a ping after one interval and a reconnect after two and a half", async () => {
  const setup = harness();
  await setup.goLive();
  await setup.clock.advance(24999);
  assert.equal(setup.socket.sent.length, 1);
  await setup.clock.advance(1);
  assert.deepEqual(setup.socket.sent[1], { type: "ping" });
  await setup.clock.advance(62500 - 25000 - 1);
  assert.equal(setup.client.status.status, "live");
  await setup.clock.advance(1);
  assert.equal(setup.client.status.reason, "HEARTBEAT_MISSED");
  assert.ok(setup.sockets[0].isClosed);
});

test("events keep a connection alive; the timeout follows from the ping interval of the welcome message", async () => {
  const setup = harness();
  setup.client.subscribe("trip:tr_1", setup.handlers);
  await settle();
  setup.socket.welcome({ ping_interval_ms: 1000 });
  for (let second = 0; second < 10; second += 1) {
    await setup.clock.advance(2400);
    setup.socket.receive(event(`3-${second}`));
  }
  assert.equal(setup.client.status.status, "live");
  await setup.clock.advance(2500);
  assert.equal(setup.client.status.status, "reconnecting");
});

test("a closed client has no timers, and connect() resumes its subscriptions", async () => {
  const setup = harness();
  await setup.goLive();
  setup.socket.receive(event("3-7"));
  setup.client.close();
  assert.deepEqual(setup.client.status, { status: "closed", reason: "CLOSED_BY_CLIENT" });
  assert.equal(setup.clock.pending, 0);
  setup.client.connect();
  await settle();
  setup.socket.welcome();
  assert.deepEqual(setup.socket.sent[0].last_event_id, ["3-7"]);
});

test("messages that are not JSON are ignored", async () => {
  const setup = harness();
  await setup.goLive();
  setup.socket.onmessage({ data: "{" });
  setup.socket.receive(event("3-1"));
  assert.deepEqual(setup.record.events, ["3-1"]);
});

test("the server's time is estimated from the message with the shortest delay", async () => {
  const setup = harness();
  const at = (ms) => new Date(setup.clock.now() + ms).toISOString();
  setup.client.subscribe("trip:tr_1", setup.handlers);
  await settle();
  setup.socket.welcome({ timestamp: at(60000 - 900) });
  assert.equal(setup.client.now() - setup.clock.now(), 59100);
  setup.socket.receive({ type: "pong", timestamp: at(60000 - 50) });
  setup.socket.receive({ type: "pong", timestamp: at(60000 - 700) });
  assert.equal(setup.client.now() - setup.clock.now(), 59950);
});
