import assert from "node:assert/strict";
import { test } from "node:test";
import { event, settle } from "../testing/fakes.mjs";
import { harness } from "../testing/harness.mjs";

const CONFIRMED = { replay_from: null, acknowledge: true };

const acknowledged = (setup) =>
  setup.socket.sent.filter(({ type }) => type === "ack").map(({ channel, event_id: id }) => [channel, id]);

test("events other than positions are acknowledged if the option is set", async () => {
  const setup = harness({ acknowledge: true });
  await setup.goLive("trip:tr_1", CONFIRMED);
  assert.deepEqual(setup.socket.sent[0], { type: "subscribe", channel: "trip:tr_1", acknowledge: true });
  setup.socket.receive(event("3-1"));
  assert.deepEqual(acknowledged(setup), [["trip:tr_1", ["3-1"]]]);
  await setup.clock.advance(1000);
  setup.socket.receive(event("3-2", "driver_location"));
  await setup.clock.advance(1000);
  assert.equal(acknowledged(setup).length, 1, "a position needs no acknowledgement");
  const silent = harness();
  await silent.goLive("trip:tr_1", CONFIRMED);
  silent.socket.receive(event("3-1"));
  assert.deepEqual(acknowledged(silent), []);
  assert.deepEqual(silent.socket.sent, [{ type: "subscribe", channel: "trip:tr_1" }]);
});

test("one message acknowledges all received events of a channel, with 125 ms between messages", async () => {
  const setup = harness({ acknowledge: true });
  await setup.goLive("trip:tr_1", CONFIRMED);
  setup.client.subscribe("trip:tr_2", {});
  setup.socket.receive({ type: "subscribed", channel: "trip:tr_2", ...CONFIRMED });
  for (const id of ["3-1", "3-2", "t3-1"]) setup.socket.receive(event(id));
  for (const id of ["4-1", "4-2"]) setup.socket.receive(event(id, "notification", "trip:tr_2"));
  assert.deepEqual(acknowledged(setup), [["trip:tr_1", ["3-1"]]]);
  await setup.clock.advance(124);
  assert.equal(acknowledged(setup).length, 1);
  await setup.clock.advance(1);
  assert.deepEqual(acknowledged(setup)[1], ["trip:tr_1", ["3-2", "t3-1"]]);
  await setup.clock.advance(125);
  assert.deepEqual(acknowledged(setup).slice(2), [["trip:tr_2", ["4-2"]]]);
  await setup.clock.advance(1000);
  assert.equal(acknowledged(setup).length, 3);
});

test("events are acknowledged only if the gateway expects it; the fleet is subscribed without the option", async () => {
  const setup = harness({ acknowledge: true });
  await setup.goLive();
  setup.socket.receive(event("3-1"));
  setup.client.subscribe("fleet", {});
  await settle();
  assert.deepEqual(setup.socket.sent.slice(1), [{ type: "subscribe", channel: "fleet" }]);
});

test("all channels are subscribed before the first acknowledgement", async () => {
  const setup = harness({ acknowledge: true });
  for (let index = 0; index < 23; index += 1) setup.client.subscribe(`trip:${index}`, {});
  await settle();
  setup.socket.welcome();
  setup.socket.receive({ type: "subscribed", channel: "trip:0", ...CONFIRMED });
  setup.socket.receive(event("3-1", "eta_update", "trip:0"));
  await setup.clock.advance(1000);
  assert.deepEqual(acknowledged(setup), []);
  assert.equal(setup.socket.sent.length, 23);
  await setup.clock.advance(125);
  assert.deepEqual(acknowledged(setup), [["trip:0", ["3-1"]]]);
});

test("an acknowledgement rejected by the rate limit is sent again", async () => {
  const setup = harness({ acknowledge: true });
  await setup.goLive("trip:tr_1", CONFIRMED);
  setup.socket.receive(event("3-1"));
  setup.socket.receive({ type: "error", code: "RATE_LIMITED", message: "…", retry_after_ms: 90 });
  await setup.clock.advance(125);
  assert.deepEqual(acknowledged(setup), [["trip:tr_1", ["3-1"]], ["trip:tr_1", ["3-1"]]]);
});

test("after NOT_ACKNOWLEDGED the client resumes, and acknowledges nothing over the old connection", async () => {
  const setup = harness({ acknowledge: true });
  await setup.goLive("trip:tr_1", CONFIRMED);
  for (const id of ["3-1", "3-2"]) setup.socket.receive(event(id));
  setup.socket.receive({ type: "error", code: "NOT_ACKNOWLEDGED", message: "…" });
  assert.deepEqual(setup.client.status.reason, "NOT_ACKNOWLEDGED");
  const before = setup.socket;
  await setup.clock.advance(20000);
  assert.notEqual(setup.socket, before);
  assert.equal(before.sent.filter(({ type }) => type === "ack").length, 1);
  setup.socket.welcome();
  assert.deepEqual(
    setup.socket.sent,
    [{ type: "subscribe", channel: "trip:tr_1", last_event_id: ["3-2"], acknowledge: true }]);
});

test("an unsubscribed channel is no longer acknowledged", async () => {
  const setup = harness({ acknowledge: true });
  await setup.goLive("trip:tr_1", CONFIRMED);
  for (const id of ["3-1", "3-2"]) setup.socket.receive(event(id));
  setup.subscription.unsubscribe();
  await setup.clock.advance(1000);
  assert.deepEqual(acknowledged(setup), [["trip:tr_1", ["3-1"]]]);
});
