import assert from "node:assert/strict";
import { test } from "node:test";
import { event, unanswered, settle } from "../testing/fakes.mjs";
import { CONFIG, harness } from "../testing/harness.mjs";

const EVENTS = "/trips/tr_1/events";

/** Fails three connections in a row. */
async function failThreeTimes(setup) {
  for (let round = 0; round < 3; round += 1) {
    await settle();
    const count = setup.sockets.length;
    setup.socket.disconnect();
    if (round < 2) while (setup.sockets.length === count) await setup.clock.advance(250);
  }
  await settle();
}

/** Creates a client that polls a trip, with `answer` to its polls. */
async function polling(answer, options = {}) {
  const setup = harness({ answers: { [EVENTS]: answer }, ...options });
  setup.client.subscribe("trip:tr_1", setup.handlers);
  await failThreeTimes(setup);
  return setup;
}

const pollsOf = (setup) => setup.requests.filter(({ path }) => path !== "/config");

/** Expects the next poll after this time, and not before. */
async function expectPollAfter(setup, ms, message) {
  const before = pollsOf(setup).length;
  await setup.clock.advance(ms - 1);
  assert.equal(pollsOf(setup).length, before, message);
  await setup.clock.advance(1);
  assert.equal(pollsOf(setup).length, before + 1, message);
}

test("polling starts after the third failed connection", async () => {
  const setup = harness({ answers: { [EVENTS]: unanswered } });
  setup.client.subscribe("trip:tr_1", setup.handlers);
  await settle();
  setup.socket.disconnect();
  await setup.clock.advance(250);
  setup.socket.disconnect();
  await settle();
  assert.equal(pollsOf(setup).length, 0);
  await setup.clock.advance(500);
  setup.socket.disconnect();
  await settle();
  assert.equal(pollsOf(setup).length, 1);
});

test("connections that were live do not count as failed", async () => {
  const setup = harness({ answers: { [EVENTS]: unanswered } });
  await setup.goLive();
  for (let round = 0; round < 5; round += 1) {
    await setup.reconnect();
  }
  assert.equal(pollsOf(setup).length, 0);
});

test("polling requests the events after the last one of the socket, and delivers each once", async () => {
  const answers = [
    { events: [event("3-2"), event("3-3")], cursor: "3-3" }, { events: [event("3-3"), event("3-4")], cursor: "3-4" },
  ];
  const setup = harness({ answers: { [EVENTS]: (request) => answers.shift() ?? unanswered(request) } });
  await setup.goLive();
  setup.socket.receive(event("3-1"));
  setup.socket.disconnect();
  await setup.clock.advance(250);
  await failThreeTimes(setup);
  assert.deepEqual(pollsOf(setup).map(({ path }) => path), [
    `${EVENTS}?after=3-1&wait=25`, `${EVENTS}?after=3-3&wait=25`, `${EVENTS}?after=3-4&wait=25`,
  ]);
  assert.equal(pollsOf(setup)[0].headers.authorization, "Bearer T1");
  assert.deepEqual(setup.record.events, ["3-1", "3-2", "3-3", "3-4"]);
  assert.equal(setup.client.status.status, "polling");
});

test("the first poll of a new subscription has no event id, and its snapshot is delivered", async () => {
  const answers = [{ events: [], cursor: "3-9", snapshot: { event_id: "3-9", state: "ACCEPTED" } }];
  const setup = await polling((request) => answers.shift() ?? unanswered(request));
  assert.deepEqual(pollsOf(setup).map(({ path }) => path), [`${EVENTS}?wait=25`, `${EVENTS}?after=3-9&wait=25`]);
  assert.equal(setup.record.snapshots[0].state, "ACCEPTED");
});

test("a trip without a driver is polled at the interval until it has events", async () => {
  const answers = [
    { events: [], cursor: [], snapshot: { event_id: null, state: "REQUESTED" } },
    { events: [], cursor: ["3-1"], snapshot: { event_id: "3-1", state: "ACCEPTED" } },
  ];
  const setup = await polling((request) => answers.shift() ?? unanswered(request));
  await setup.clock.advance(4999);
  assert.equal(pollsOf(setup).length, 1);
  await setup.clock.advance(1);
  assert.deepEqual(pollsOf(setup).map(({ path }) => path), [
    `${EVENTS}?wait=25`, `${EVENTS}?wait=25`, `${EVENTS}?after=3-1&wait=25`,
  ]);
  assert.deepEqual(setup.record.snapshots.map(({ state }) => state), ["REQUESTED", "ACCEPTED"]);
});

test("the client reconnects in the background, ends polling, and resumes after the last polled event", async () => {
  const answers = [{ events: [event("3-2")], cursor: "3-2" }];
  const setup = await polling((request) => answers.shift() ?? unanswered(request));
  const count = setup.sockets.length;
  await setup.clock.advance(15000);
  assert.ok(setup.sockets.length > count);
  assert.equal(setup.client.status.status, "polling", "reconnecting is not reported while polling works");
  setup.socket.welcome();
  assert.equal(setup.client.status.status, "live");
  assert.ok(pollsOf(setup).at(-1).signal.aborted);
  assert.deepEqual(setup.socket.sent, [{ type: "subscribe", channel: "trip:tr_1", last_event_id: ["3-2"] }]);
});

test("a response that arrives after the socket is live is dropped", async () => {
  let answer;
  const setup = await polling(() => new Promise((resolve) => { answer = resolve; }));
  await setup.clock.advance(15000);
  setup.socket.welcome();
  answer({ events: [event("3-9")], cursor: "3-9" });
  setup.socket.receive(event("3-2"));
  await settle();
  assert.deepEqual(setup.record.events, ["3-2"]);
});

test("a server that does not hold requests is polled at the interval", async () => {
  const setup = await polling({ events: [], cursor: "3-1" });
  await expectPollAfter(setup, 5000);
});

test("failed polls back off, and the status stays reconnecting", async () => {
  const setup = await polling();
  await expectPollAfter(setup, 2500, "half of 5 s");
  await expectPollAfter(setup, 5000, "half of 10 s");
  assert.ok(!setup.statusNames().includes("polling"));
});

test("retry_after_ms delays the next poll", async () => {
  const body = { error: { code: "RATE_LIMITED", message: "…", retry_after_ms: 30000 } };
  const setup = await polling({ status: 429, body });
  await expectPollAfter(setup, 30000 + 2500);
});

test("Retry-After is in seconds", async () => {
  const setup = await polling({ status: 503, body: {}, retryAfter: "7" });
  await expectPollAfter(setup, 7000 + 2500);
});

test("a trip that is not found is not polled again", async () => {
  const body = { error: { code: "TRIP_NOT_FOUND", message: "There is no trip tr_1." } };
  const setup = await polling({ status: 404, body });
  await setup.clock.advance(60000);
  assert.equal(pollsOf(setup).length, 1);
  assert.deepEqual(setup.record.errors.map(({ code, status }) => [code, status]), [["TRIP_NOT_FOUND", 404]]);
});

test("a token rejected by a poll is replaced for the next poll", async () => {
  const answer = ({ headers, signal }) => (headers.authorization === "Bearer T1"
    ? { status: 401, body: { error: { code: "TOKEN_EXPIRED" } } } : unanswered({ signal }));
  const setup = await polling(answer, { getToken: () => "N1" });
  await setup.clock.advance(2500);
  assert.deepEqual(pollsOf(setup).map(({ headers }) => headers.authorization), ["Bearer T1", "Bearer N1"]);
});

test("a token rejected by a poll closes a client without getToken", async () => {
  const setup = await polling({ status: 401, body: { error: { code: "TOKEN_EXPIRED" } } });
  assert.deepEqual(setup.client.status, { status: "closed", reason: "TOKEN_EXPIRED" });
});

test("the fleet and routes are polled as snapshots", async () => {
  const setup = harness({ answers: {
    "/fleet": { drivers: [{ driver_id: "d1" }] }, "/routes/12/vehicles": { vehicles: [{ streamId: "tr_1" }] },
  } });
  setup.client.subscribe("fleet", setup.handlers);
  setup.client.subscribe("route:12", setup.handlers);
  await failThreeTimes(setup);
  assert.deepEqual(setup.record.snapshots, [{ drivers: [{ driver_id: "d1" }] }, { vehicles: [{ streamId: "tr_1" }] }]);
  await setup.clock.advance(5000);
  assert.equal(pollsOf(setup).length, 4);
});

test("a gateway without the transport polling is not polled", async () => {
  const socketConnectionData = { ...CONFIG.socketConnectionData, transportValues: ["websocket"] };
  const setup = harness({ answers: { "/config": { ...CONFIG, socketConnectionData }, [EVENTS]: unanswered } });
  setup.client.subscribe("trip:tr_1", setup.handlers);
  await failThreeTimes(setup);
  assert.equal(pollsOf(setup).length, 0);
});

test("a poll without a response times out and is retried", async () => {
  const setup = await polling(unanswered);
  await expectPollAfter(setup, 35000 + 2500);
});
