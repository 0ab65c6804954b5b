import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffDelay } from "../sightline.js";
import { event, settle } from "../testing/fakes.mjs";
import { harness } from "../testing/harness.mjs";

test("the delay doubles from the first to the longest, times a random share of it", () => {
  const bounds = [0, 1, 2, 3, 4, 5, 6, 100].map((attempt) => backoffDelay(attempt, 500, 15000, () => 1));
  assert.deepEqual(bounds, [500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
  assert.equal(backoffDelay(3, 500, 15000, () => 0), 0);
  assert.equal(backoffDelay(3, 500, 15000, () => 0.25), 1000);
});

test("a client goes from connecting to live, and gives the token with the address", async () => {
  const world = harness();
  await world.goLive();
  assert.deepEqual(world.statusNames(), ["connecting", "live"]);
  assert.equal(world.socket.url.href, "ws://gateway.test/realtime?token=T1");
  assert.deepEqual(world.socket.sent, [{ type: "subscribe", channel: "trip:tr_1" }]);
});

test("an https gateway is connected by wss, at the address of its settings", async () => {
  const socketConnectionData = { baseUrl: "https://sockets.test", socketPath: "/r" };
  const world = harness({ url: "https://gateway.test", config: { socketConnectionData } });
  world.client.connect();
  await settle();
  assert.equal(world.socket.url.href, "wss://sockets.test/r?token=T1");
  assert.equal(world.requests.length, 0, "given settings are not asked for");
});

test("the n-th attempt waits the n-th backoff, by the settings served", async () => {
  const socketConnectionData = {
    socketReconnectionDelay: 100, maxReconnectionDelay: 350, transportValues: ["websocket"],
  };
  const world = harness({ answers: { "/config": { socketConnectionData } } });
  world.random = 0.999;
  await world.goLive();
  const delays = [];
  for (let attempt = 0; attempt < 5; attempt += 1) {
    world.socket.breakOff();
    delays.push(world.client.status.retryInMs);
    await world.clock.advance(400);
  }
  assert.deepEqual(delays.map(Math.ceil), [100, 200, 350, 350, 350]);
});

test("the backoff begins anew only after a connection has held", async () => {
  const world = harness();
  await world.goLive();
  for (let time = 0; time < 4; time += 1) {
    await world.reconnect();
    world.socket.welcome();
  }
  world.socket.breakOff();
  assert.equal(world.client.status.retryInMs, 0.5 * 8000, "it broke four times at once");
  await world.clock.advance(8000);
  world.socket.welcome();
  await world.clock.advance(5000);
  world.socket.breakOff();
  assert.equal(world.client.status.retryInMs, 0.5 * 500, "it held for ten first delays");
});

test("a connection that does not open in time is given up", async () => {
  const world = harness();
  world.client.connect();
  await world.clock.advance(9999);
  assert.equal(world.client.status.status, "connecting");
  await world.clock.advance(1);
  assert.equal(world.client.status.reason, "CONNECTION_TIMEOUT");
  assert.ok(world.sockets[0].isClosed);
});

test("retryNow does not wait, unless the server said how long", async () => {
  const world = harness();
  await world.goLive();
  world.socket.breakOff();
  world.client.retryNow();
  await settle();
  assert.equal(world.sockets.length, 2);
  world.socket.welcome();
  world.socket.receive({ type: "error", code: "SERVER_CLOSING", message: "…", retry_after_ms: 3000 });
  world.client.retryNow();
  await settle();
  assert.equal(world.sockets.length, 2);
});

test("a server that closes is left, and tried again exactly when it says", async () => {
  const world = harness();
  await world.goLive();
  world.socket.receive({ type: "error", code: "SERVER_CLOSING", message: "…", retry_after_ms: 3210 });
  assert.ok(world.sockets[0].isClosed);
  assert.equal(world.client.status.retryInMs, 3210);
  await world.clock.advance(3209);
  assert.equal(world.sockets.length, 1);
  await world.clock.advance(1);
  assert.equal(world.sockets.length, 2);
});

test("a close for the rate waits what the error before it told, and a backoff", async () => {
  const world = harness();
  await world.goLive();
  world.socket.receive({ type: "error", code: "RATE_LIMITED", message: "…", retry_after_ms: 2000 });
  world.socket.breakOff(4429);
  assert.equal(world.client.status.retryInMs, 2000 + 0.5 * 500);
});

test("a subscription that is to be tried again is tried after the time told", async () => {
  const world = harness();
  world.client.subscribe("trip:tr_1", world.handlers);
  await settle();
  world.socket.welcome();
  const error = { type: "error", code: "TRY_AGAIN", message: "…" };
  world.socket.receive({ ...error, channel: "trip:tr_1", retry_after_ms: 1000 });
  await world.clock.advance(1249);
  assert.equal(world.socket.sent.length, 1);
  await world.clock.advance(1);
  assert.deepEqual(world.socket.sent[1], { type: "subscribe", channel: "trip:tr_1" });
  assert.equal(world.record.clientErrors[0].code, "TRY_AGAIN");
});

test("silence is answered by a ping after one interval, and by a new connection after two and a half", async () => {
  const world = harness();
  await world.goLive();
  await world.clock.advance(24999);
  assert.equal(world.socket.sent.length, 1);
  await world.clock.advance(1);
  assert.deepEqual(world.socket.sent[1], { type: "ping" });
  await world.clock.advance(62500 - 25000 - 1);
  assert.equal(world.client.status.status, "live");
  await world.clock.advance(1);
  assert.equal(world.client.status.reason, "HEARTBEAT_MISSED");
  assert.ok(world.sockets[0].isClosed);
});

test("any message keeps a connection alive, at the interval of the welcome", async () => {
  const world = harness();
  world.client.subscribe("trip:tr_1", world.handlers);
  await settle();
  world.socket.welcome({ ping_interval_ms: 1000 });
  for (let second = 0; second < 10; second += 1) {
    await world.clock.advance(2400);
    world.socket.receive(event(`3-${second}`));
  }
  assert.equal(world.client.status.status, "live");
  await world.clock.advance(2500);
  assert.equal(world.client.status.status, "reconnecting");
});

test("a closed client stays closed, has no timers, and connects again when told", async () => {
  const world = harness();
  await world.goLive();
  world.socket.receive(event("3-7"));
  world.client.close();
  assert.deepEqual(world.client.status, { status: "closed", reason: "CLOSED_BY_CLIENT" });
  assert.equal(world.clock.pending, 0);
  world.client.connect();
  await settle();
  world.socket.welcome();
  assert.deepEqual(world.socket.sent[0].last_event_id, ["3-7"]);
});

test("messages that are not JSON are read over", async () => {
  const world = harness();
  await world.goLive();
  world.socket.onmessage({ data: "{" });
  world.socket.receive(event("3-1"));
  assert.deepEqual(world.record.events, ["3-1"]);
});

test("the server's time is that of the fastest message", async () => {
  const world = harness();
  const at = (ms) => new Date(world.clock.now() + ms).toISOString();
  world.client.subscribe("trip:tr_1", world.handlers);
  await settle();
  world.socket.welcome({ timestamp: at(60000 - 900) });
  assert.equal(world.client.now() - world.clock.now(), 59100);
  world.socket.receive({ type: "pong", timestamp: at(60000 - 50) });
  world.socket.receive({ type: "pong", timestamp: at(60000 - 700) });
  assert.equal(world.client.now() - world.clock.now(), 59950);
});
