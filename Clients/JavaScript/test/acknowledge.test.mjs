import assert from "node:assert/strict";
import { test } from "node:test";
import { event, settle } from "../testing/fakes.mjs";
import { harness } from "../testing/harness.mjs";

const CONFIRMED = { replay_from: null, acknowledge: true };

const acknowledged = (world) =>
  world.socket.sent.filter(({ type }) => type === "ack").map(({ channel, event_id: id }) => [channel, id]);

test("events are acknowledged where the client is told to, and nothing else is", async () => {
  const world = harness({ acknowledge: true });
  await world.goLive("trip:tr_1", CONFIRMED);
  assert.deepEqual(world.socket.sent[0], { type: "subscribe", channel: "trip:tr_1", acknowledge: true });
  world.socket.receive(event("3-1"));
  assert.deepEqual(acknowledged(world), [["trip:tr_1", ["3-1"]]]);
  await world.clock.advance(1000);
  world.socket.receive(event("3-2", "driver_location"));
  await world.clock.advance(1000);
  assert.equal(acknowledged(world).length, 1, "a position needs no acknowledgement");
  const silent = harness();
  await silent.goLive("trip:tr_1", CONFIRMED);
  silent.socket.receive(event("3-1"));
  assert.deepEqual(acknowledged(silent), []);
  assert.deepEqual(silent.socket.sent, [{ type: "subscribe", channel: "trip:tr_1" }]);
});

test("one message acknowledges all events of a channel, and no two come within 125 ms", async () => {
  const world = harness({ acknowledge: true });
  await world.goLive("trip:tr_1", CONFIRMED);
  world.client.subscribe("trip:tr_2", {});
  world.socket.receive({ type: "subscribed", channel: "trip:tr_2", ...CONFIRMED });
  for (const id of ["3-1", "3-2", "t3-1"]) world.socket.receive(event(id));
  for (const id of ["4-1", "4-2"]) world.socket.receive(event(id, "notification", "trip:tr_2"));
  assert.deepEqual(acknowledged(world), [["trip:tr_1", ["3-1"]]]);
  await world.clock.advance(124);
  assert.equal(acknowledged(world).length, 1);
  await world.clock.advance(1);
  assert.deepEqual(acknowledged(world)[1], ["trip:tr_1", ["3-2", "t3-1"]]);
  await world.clock.advance(125);
  assert.deepEqual(acknowledged(world).slice(2), [["trip:tr_2", ["4-2"]]]);
  await world.clock.advance(1000);
  assert.equal(acknowledged(world).length, 3);
});

test("a gateway that does not expect acknowledgements gets none, and the fleet has none", async () => {
  const world = harness({ acknowledge: true });
  await world.goLive();
  world.socket.receive(event("3-1"));
  world.client.subscribe("fleet", {});
  await settle();
  assert.deepEqual(world.socket.sent.slice(1), [{ type: "subscribe", channel: "fleet" }]);
});

test("many channels are subscribed before any is acknowledged", async () => {
  const world = harness({ acknowledge: true });
  for (let index = 0; index < 23; index += 1) world.client.subscribe(`trip:${index}`, {});
  await settle();
  world.socket.welcome();
  world.socket.receive({ type: "subscribed", channel: "trip:0", ...CONFIRMED });
  world.socket.receive(event("3-1", "eta_update", "trip:0"));
  await world.clock.advance(1000);
  assert.deepEqual(acknowledged(world), []);
  assert.equal(world.socket.sent.length, 23);
  await world.clock.advance(125);
  assert.deepEqual(acknowledged(world), [["trip:0", ["3-1"]]]);
});

test("what the server did not read because of its rate is acknowledged again", async () => {
  const world = harness({ acknowledge: true });
  await world.goLive("trip:tr_1", CONFIRMED);
  world.socket.receive(event("3-1"));
  world.socket.receive({ type: "error", code: "RATE_LIMITED", message: "…", retry_after_ms: 90 });
  await world.clock.advance(125);
  assert.deepEqual(acknowledged(world), [["trip:tr_1", ["3-1"]], ["trip:tr_1", ["3-1"]]]);
});

test("a connection that is closed for want of acknowledgements is resumed, and an ended one is not answered", async () => {
  const world = harness({ acknowledge: true });
  await world.goLive("trip:tr_1", CONFIRMED);
  for (const id of ["3-1", "3-2"]) world.socket.receive(event(id));
  world.socket.receive({ type: "error", code: "NOT_ACKNOWLEDGED", message: "…" });
  assert.deepEqual(world.client.status.reason, "NOT_ACKNOWLEDGED");
  const before = world.socket;
  await world.clock.advance(20000);
  assert.notEqual(world.socket, before);
  assert.equal(before.sent.filter(({ type }) => type === "ack").length, 1);
  world.socket.welcome();
  assert.deepEqual(
    world.socket.sent,
    [{ type: "subscribe", channel: "trip:tr_1", last_event_id: ["3-2"], acknowledge: true }]);
});

test("an unsubscribed channel is not acknowledged any more", async () => {
  const world = harness({ acknowledge: true });
  await world.goLive("trip:tr_1", CONFIRMED);
  for (const id of ["3-1", "3-2"]) world.socket.receive(event(id));
  world.subscription.unsubscribe();
  await world.clock.advance(1000);
  assert.deepEqual(acknowledged(world), [["trip:tr_1", ["3-1"]]]);
});
