import assert from "node:assert/strict";
import { test } from "node:test";
import { event, settle } from "../testing/fakes.mjs";
import { harness } from "../testing/harness.mjs";

test("a trip resumes after the last event of each origin and partition", async () => {
  const world = harness();
  await world.goLive();
  for (const id of ["3-100", "t3-5", "3-101.2+2/1"]) world.socket.receive(event(id));
  await world.reconnect();
  world.socket.welcome();
  assert.deepEqual(world.socket.sent, [{ type: "subscribe", channel: "trip:tr_1", last_event_id: ["3-101.2+2/1", "t3-5"] }]);
});

test("a route resumes after the last event of each partition", async () => {
  const world = harness();
  await world.goLive("route:12");
  for (const id of ["3-100", "5-7", "t3-5", "5-8"]) world.socket.receive(event(id, "vehicle_position", "route:12"));
  await world.reconnect();
  world.socket.welcome();
  assert.deepEqual(world.socket.sent[0].last_event_id, ["3-100", "5-8", "t3-5"]);
});

test("an event that was received before is dropped, also after a resumption", async () => {
  const world = harness();
  await world.goLive();
  for (const id of ["3-100", "3-100", "3-101", "3-100", "t3-1"]) world.socket.receive(event(id));
  await world.reconnect();
  world.socket.welcome();
  world.socket.receive({ type: "subscribed", channel: "trip:tr_1", replay_from: "t3-1" });
  for (const id of ["3-101", "3-102", "t3-1", "t3-2"]) world.socket.receive(event(id));
  assert.deepEqual(world.record.events, ["3-100", "3-101", "t3-1", "3-102", "t3-2"]);
  assert.equal(world.record.snapshots.length, 0);
});

test("a snapshot begins anew: events that look older than before it are new", async () => {
  const world = harness();
  await world.goLive();
  world.socket.receive(event("3-900"));
  await world.reconnect();
  world.socket.welcome();
  world.socket.receive({ type: "subscribed", channel: "trip:tr_1", replay_from: null, snapshot: { event_id: "3-5" } });
  for (const id of ["3-5", "3-6"]) world.socket.receive(event(id));
  assert.deepEqual(world.record.events, ["3-900", "3-6"]);
  assert.deepEqual(world.record.snapshots, [{ event_id: "3-5" }]);
  assert.deepEqual(world.subscription.lastEventId, ["3-6"]);
});

test("events go to the handler of their type, and to their channel only", async () => {
  const world = harness();
  const received = [];
  await world.goLive();
  world.client.subscribe("trip:tr_2", { eta_update: (payload, whole) => received.push([payload, whole.event_id]) });
  assert.equal(world.socket.sent.length, 2, "a subscription on an open connection is sent at once");
  world.socket.receive(event("3-1"));
  world.socket.receive(event("3-1", "eta_update", "trip:tr_2"));
  world.socket.receive(event("3-2", "driver_location", "trip:tr_2"));
  world.socket.receive(event("3-3", "eta_update", "trip:unknown"));
  assert.deepEqual(received, [[{ id: "3-1" }, "3-1"]]);
  assert.deepEqual(world.record.events, ["3-1"]);
});

test("positions of the fleet have no id and all arrive", async () => {
  const world = harness();
  const received = [];
  world.handlers.fleet_positions = ({ drivers }) => received.push(drivers);
  await world.goLive("fleet", { snapshot: { drivers: [] } });
  for (const drivers of [["a"], ["a"]]) world.socket.receive({ type: "fleet_positions", drivers, gone: [] });
  assert.deepEqual(received, [["a"], ["a"]]);
});

test("a position from elsewhere resumes there", async () => {
  const world = harness();
  world.client.subscribe("trip:tr_1", world.handlers, { lastEventId: "3-7" });
  await settle();
  world.socket.welcome();
  assert.deepEqual(world.socket.sent[0].last_event_id, ["3-7"]);
});

test("an unsubscribed channel is silent and not resumed", async () => {
  const world = harness();
  await world.goLive();
  world.subscription.unsubscribe();
  assert.deepEqual(world.socket.sent.at(-1), { type: "unsubscribe", channel: "trip:tr_1" });
  world.socket.receive(event("3-1"));
  await world.reconnect();
  world.socket.welcome();
  assert.deepEqual(world.record.events, []);
  assert.deepEqual(world.socket.sent, []);
});

test("a refused subscription is given up and reported, and the others stay", async () => {
  const world = harness();
  await world.goLive();
  const errors = [];
  world.client.subscribe("trip:other", { error: ({ code, channel }) => errors.push([code, channel]) });
  world.socket.receive({ type: "error", code: "NOT_ALLOWED", message: "…", channel: "trip:other" });
  assert.deepEqual(errors, [["NOT_ALLOWED", "trip:other"]]);
  await world.reconnect();
  world.socket.welcome();
  assert.deepEqual(world.socket.sent.map(({ channel }) => channel), ["trip:tr_1"]);
});

test("many channels are subscribed below the server's rate", async () => {
  const world = harness();
  for (let index = 0; index < 40; index += 1) world.client.subscribe(`trip:${index}`, {});
  await settle();
  world.socket.welcome();
  assert.equal(world.socket.sent.length, 15);
  await world.clock.advance(1000);
  assert.equal(world.socket.sent.length, 15 + 8);
  await world.clock.advance(2125);
  assert.equal(world.socket.sent.length, 40);
});

test("a channel is named rightly and subscribed once", () => {
  const world = harness();
  world.client.subscribe("trip:tr_1", {});
  for (const channel of ["trip:tr_1", "trip:", "trip:ä", "bus:1", "", "fleet:1"]) {
    assert.throws(() => world.client.subscribe(channel, {}), { code: "INVALID_SUBSCRIPTION" }, channel);
  }
});

test("a snapshot that names what it covers is resumed after exactly that", async () => {
  const world = harness();
  await world.goLive();
  world.socket.receive({
    type: "subscribed", channel: "trip:tr_1", replay_from: null, cursor: ["3-5", "t3-9"], snapshot: { event_id: "3-5" },
  });
  for (const id of ["t3-9", "t3-10"]) world.socket.receive(event(id));
  assert.deepEqual(world.record.events, ["t3-10"]);
  await world.reconnect();
  world.socket.welcome();
  assert.deepEqual(world.socket.sent[0].last_event_id, ["3-5", "t3-10"]);
});
