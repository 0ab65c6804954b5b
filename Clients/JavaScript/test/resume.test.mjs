import assert from "node:assert/strict";
import { test } from "node:test";
import { event, settle } from "../testing/fakes.mjs";
import { harness } from "../testing/harness.mjs";

test("a trip resumes after the last event of each origin and partition", async () => {
  const setup = harness();
  await setup.goLive();
  for (const id of ["3-100", "t3-5", "3-101.2+2/1"]) setup.socket.receive(event(id));
  await setup.reconnect();
  assert.deepEqual(
    setup.socket.sent, [{ type: "subscribe", channel: "trip:tr_1", last_event_id: ["3-101.2+2/1", "t3-5"] }]);
});

test("a route resumes after the last event of each partition", async () => {
  const setup = harness();
  await setup.goLive("route:12");
  for (const id of ["3-100", "5-7", "t3-5", "5-8"]) setup.socket.receive(event(id, "vehicle_position", "route:12"));
  await setup.reconnect();
  assert.deepEqual(setup.socket.sent[0].last_event_id, ["3-100", "5-8", "t3-5"]);
});

test("duplicate events are dropped, also after a resumption", async () => {
  const setup = harness();
  await setup.goLive();
  for (const id of ["3-100", "3-100", "3-101", "3-100", "t3-1"]) setup.socket.receive(event(id));
  await setup.reconnect();
  setup.socket.receive({ type: "subscribed", channel: "trip:tr_1", replay_from: "t3-1" });
  for (const id of ["3-101", "3-102", "t3-1", "t3-2"]) setup.socket.receive(event(id));
  assert.deepEqual(setup.record.events, ["3-100", "3-101", "t3-1", "3-102", "t3-2"]);
  assert.equal(setup.record.snapshots.length, 0);
});

test("after a snapshot, events with smaller ids than before the snapshot are new", async () => {
  const setup = harness();
  await setup.goLive();
  setup.socket.receive(event("3-900"));
  await setup.reconnect();
  setup.socket.receive({ type: "subscribed", channel: "trip:tr_1", replay_from: null, snapshot: { event_id: "3-5" } });
  for (const id of ["3-5", "3-6"]) setup.socket.receive(event(id));
  assert.deepEqual(setup.record.events, ["3-900", "3-6"]);
  assert.deepEqual(setup.record.snapshots, [{ event_id: "3-5" }]);
  assert.deepEqual(setup.subscription.lastEventId, ["3-6"]);
});

test("events are passed to the handler of their type and channel", async () => {
  const setup = harness();
  const received = [];
  await setup.goLive();
  setup.client.subscribe("trip:tr_2", { eta_update: (payload, whole) => received.push([payload, whole.event_id]) });
  assert.equal(setup.socket.sent.length, 2, "a subscription on an open connection is sent at once");
  setup.socket.receive(event("3-1"));
  setup.socket.receive(event("3-1", "eta_update", "trip:tr_2"));
  setup.socket.receive(event("3-2", "driver_location", "trip:tr_2"));
  setup.socket.receive(event("3-3", "eta_update", "trip:unknown"));
  assert.deepEqual(received, [[{ id: "3-1" }, "3-1"]]);
  assert.deepEqual(setup.record.events, ["3-1"]);
});

test("fleet positions have no id and are all delivered", async () => {
  const setup = harness();
  const received = [];
  setup.handlers.fleet_positions = ({ drivers }) => received.push(drivers);
  await setup.goLive("fleet", { snapshot: { drivers: [] } });
  for (const drivers of [["a"], ["a"]]) setup.socket.receive({ type: "fleet_positions", drivers, gone: [] });
  assert.deepEqual(received, [["a"], ["a"]]);
});

test("a subscription resumes from a given event id", async () => {
  const setup = harness();
  setup.client.subscribe("trip:tr_1", setup.handlers, { lastEventId: "3-7" });
  await settle();
  setup.socket.welcome();
  assert.deepEqual(setup.socket.sent[0].last_event_id, ["3-7"]);
});

test("an unsubscribed channel delivers no events and is not resumed", async () => {
  const setup = harness();
  await setup.goLive();
  setup.subscription.unsubscribe();
  assert.deepEqual(setup.socket.sent.at(-1), { type: "unsubscribe", channel: "trip:tr_1" });
  setup.socket.receive(event("3-1"));
  await setup.reconnect();
  assert.deepEqual(setup.record.events, []);
  assert.deepEqual(setup.socket.sent, []);
});

test("a rejected subscription is removed and reported, and the others stay", async () => {
  const setup = harness();
  await setup.goLive();
  const errors = [];
  setup.client.subscribe("trip:other", { error: ({ code, channel }) => errors.push([code, channel]) });
  setup.socket.receive({ type: "error", code: "NOT_ALLOWED", message: "…", channel: "trip:other" });
  assert.deepEqual(errors, [["NOT_ALLOWED", "trip:other"]]);
  await setup.reconnect();
  assert.deepEqual(setup.socket.sent.map(({ channel }) => channel), ["trip:tr_1"]);
});

test("many channels are subscribed below the server's rate limit", async () => {
  const setup = harness();
  for (let index = 0; index < 40; index += 1) setup.client.subscribe(`trip:${index}`, {});
  await settle();
  setup.socket.welcome();
  assert.equal(setup.socket.sent.length, 15);
  await setup.clock.advance(1000);
  assert.equal(setup.socket.sent.length, 15 + 8);
  await setup.clock.advance(2125);
  assert.equal(setup.socket.sent.length, 40);
});

test("invalid channels and repeated subscriptions are rejected", () => {
  const setup = harness();
  setup.client.subscribe("trip:tr_1", {});
  for (const channel of ["trip:tr_1", "trip:", "trip:ä", "bus:1", "", "fleet:1"]) {
    assert.throws(() => setup.client.subscribe(channel, {}), { code: "INVALID_SUBSCRIPTION" }, channel);
  }
});

test("after a snapshot with a cursor, a subscription resumes from that cursor", async () => {
  const setup = harness();
  await setup.goLive();
  setup.socket.receive({
    type: "subscribed", channel: "trip:tr_1", replay_from: null, cursor: ["3-5", "t3-9"], snapshot: { event_id: "3-5" },
  });
  for (const id of ["t3-9", "t3-10"]) setup.socket.receive(event(id));
  assert.deepEqual(setup.record.events, ["t3-10"]);
  await setup.reconnect();
  assert.deepEqual(setup.socket.sent[0].last_event_id, ["3-5", "t3-10"]);
});
