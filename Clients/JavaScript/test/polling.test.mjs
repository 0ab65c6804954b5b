import assert from "node:assert/strict";
import { test } from "node:test";
import { event, held, settle } from "../testing/fakes.mjs";
import { CONFIG, harness } from "../testing/harness.mjs";

const EVENTS = "/trips/tr_1/events";

/** Breaks connections off until the third one in a row has failed. */
async function failThreeTimes(world) {
  for (let time = 0; time < 3; time += 1) {
    await settle();
    const count = world.sockets.length;
    world.socket.breakOff();
    if (time < 2) while (world.sockets.length === count) await world.clock.advance(250);
  }
  await settle();
}

const pollsOf = (world) => world.requests.filter(({ path }) => path !== "/config");

test("two failed connections are no reason to poll, the third one is", async () => {
  const world = harness({ answers: { [EVENTS]: held } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await settle();
  world.socket.breakOff();
  await world.clock.advance(250);
  world.socket.breakOff();
  await settle();
  assert.equal(pollsOf(world).length, 0);
  await world.clock.advance(500);
  world.socket.breakOff();
  await settle();
  assert.equal(pollsOf(world).length, 1);
});

test("a connection that was live is not a failed one", async () => {
  const world = harness({ answers: { [EVENTS]: held } });
  await world.goLive();
  for (let time = 0; time < 5; time += 1) {
    await world.reconnect();
    world.socket.welcome();
  }
  assert.equal(pollsOf(world).length, 0);
});

test("polling asks for the events after the last one of the socket, and hands each on once", async () => {
  const answers = [
    { events: [event("3-2"), event("3-3")], cursor: "3-3" }, { events: [event("3-3"), event("3-4")], cursor: "3-4" },
  ];
  const world = harness({ answers: { [EVENTS]: (request) => answers.shift() ?? held(request) } });
  await world.goLive();
  world.socket.receive(event("3-1"));
  world.socket.breakOff();
  await world.clock.advance(250);
  await failThreeTimes(world);
  assert.deepEqual(pollsOf(world).map(({ path }) => path), [
    `${EVENTS}?after=3-1&wait=25`, `${EVENTS}?after=3-3&wait=25`, `${EVENTS}?after=3-4&wait=25`,
  ]);
  assert.equal(pollsOf(world)[0].headers.authorization, "Bearer T1");
  assert.deepEqual(world.record.events, ["3-1", "3-2", "3-3", "3-4"]);
  assert.equal(world.client.status.status, "polling");
});

test("the first poll of a trip of which nothing is known brings a snapshot", async () => {
  const answers = [{ events: [], cursor: "3-9", snapshot: { event_id: "3-9", state: "ACCEPTED" } }];
  const world = harness({ answers: { [EVENTS]: (request) => answers.shift() ?? held(request) } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  assert.deepEqual(pollsOf(world).map(({ path }) => path), [`${EVENTS}?wait=25`, `${EVENTS}?after=3-9&wait=25`]);
  assert.equal(world.record.snapshots[0].state, "ACCEPTED");
});

test("a trip that has no driver yet is asked for at the polling interval, until it has events", async () => {
  const answers = [
    { events: [], cursor: [], snapshot: { event_id: null, state: "REQUESTED" } },
    { events: [], cursor: ["3-1"], snapshot: { event_id: "3-1", state: "ACCEPTED" } },
  ];
  const world = harness({ answers: { [EVENTS]: (request) => answers.shift() ?? held(request) } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  await world.clock.advance(4999);
  assert.equal(pollsOf(world).length, 1);
  await world.clock.advance(1);
  assert.deepEqual(pollsOf(world).map(({ path }) => path), [
    `${EVENTS}?wait=25`, `${EVENTS}?wait=25`, `${EVENTS}?after=3-1&wait=25`,
  ]);
  assert.deepEqual(world.record.snapshots.map(({ state }) => state), ["REQUESTED", "ACCEPTED"]);
});

test("the socket is tried again in the background, ends polling, and resumes where that ended", async () => {
  const answers = [{ events: [event("3-2")], cursor: "3-2" }];
  const world = harness({ answers: { [EVENTS]: (request) => answers.shift() ?? held(request) } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  const count = world.sockets.length;
  await world.clock.advance(15000);
  assert.ok(world.sockets.length > count);
  assert.equal(world.client.status.status, "polling", "trying is not told while polling works");
  world.socket.welcome();
  assert.equal(world.client.status.status, "live");
  assert.ok(pollsOf(world).at(-1).signal.aborted);
  assert.deepEqual(world.socket.sent, [{ type: "subscribe", channel: "trip:tr_1", last_event_id: ["3-2"] }]);
});

test("an answer that comes after the socket is live again is dropped", async () => {
  let answer;
  const world = harness({ answers: { [EVENTS]: () => new Promise((resolve) => { answer = resolve; }) } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  await world.clock.advance(15000);
  world.socket.welcome();
  answer({ events: [event("3-9")], cursor: "3-9" });
  world.socket.receive(event("3-2"));
  await settle();
  assert.deepEqual(world.record.events, ["3-2"]);
});

test("a server that does not hold requests is asked at the polling interval", async () => {
  const world = harness({ answers: { [EVENTS]: { events: [], cursor: "3-1" } } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  await world.clock.advance(4999);
  assert.equal(pollsOf(world).length, 1);
  await world.clock.advance(1);
  assert.equal(pollsOf(world).length, 2);
});

test("while polls fail too the client is reconnecting, and they back off", async () => {
  const world = harness();
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  await world.clock.advance(2499);
  assert.equal(pollsOf(world).length, 1);
  await world.clock.advance(1);
  assert.equal(pollsOf(world).length, 2, "half of 5 s");
  await world.clock.advance(5000);
  assert.equal(pollsOf(world).length, 3, "half of 10 s");
  assert.ok(!world.statusNames().includes("polling"));
});

test("a poll that is told to wait waits as long", async () => {
  const body = { error: { code: "RATE_LIMITED", message: "…", retry_after_ms: 30000 } };
  const world = harness({ answers: { [EVENTS]: { status: 429, body } } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  await world.clock.advance(30000 + 2499);
  assert.equal(pollsOf(world).length, 1);
  await world.clock.advance(1);
  assert.equal(pollsOf(world).length, 2);
});

test("Retry-After of an answer counts in seconds", async () => {
  const world = harness({ answers: { [EVENTS]: { status: 503, body: {}, retryAfter: "7" } } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  await world.clock.advance(7000 + 2499);
  assert.equal(pollsOf(world).length, 1);
  await world.clock.advance(1);
  assert.equal(pollsOf(world).length, 2);
});

test("a trip that is not found or not allowed is given up", async () => {
  const body = { error: { code: "TRIP_NOT_FOUND", message: "There is no trip tr_1." } };
  const world = harness({ answers: { [EVENTS]: { status: 404, body } } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  await world.clock.advance(60000);
  assert.equal(pollsOf(world).length, 1);
  assert.deepEqual(world.record.errors.map(({ code, status }) => [code, status]), [["TRIP_NOT_FOUND", 404]]);
});

test("a refused token of a poll is replaced", async () => {
  const answer = ({ headers, signal }) => (headers.authorization === "Bearer T1"
    ? { status: 401, body: { error: { code: "TOKEN_EXPIRED" } } } : held({ signal }));
  const world = harness({ getToken: () => "N1", answers: { [EVENTS]: answer } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  await world.clock.advance(2500);
  assert.deepEqual(pollsOf(world).map(({ headers }) => headers.authorization), ["Bearer T1", "Bearer N1"]);
});

test("a refused token of a poll closes a client that cannot fetch another", async () => {
  const world = harness({ answers: { [EVENTS]: { status: 401, body: { error: { code: "TOKEN_EXPIRED" } } } } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  assert.deepEqual(world.client.status, { status: "closed", reason: "TOKEN_EXPIRED" });
});

test("the fleet and routes are polled as snapshots at the interval", async () => {
  const world = harness({ answers: {
    "/fleet": { drivers: [{ driver_id: "d1" }] }, "/routes/12/vehicles": { vehicles: [{ streamId: "tr_1" }] },
  } });
  world.client.subscribe("fleet", world.handlers);
  world.client.subscribe("route:12", world.handlers);
  await failThreeTimes(world);
  assert.deepEqual(world.record.snapshots, [{ drivers: [{ driver_id: "d1" }] }, { vehicles: [{ streamId: "tr_1" }] }]);
  await world.clock.advance(5000);
  assert.equal(pollsOf(world).length, 4);
});

test("a gateway that serves no polling is not polled", async () => {
  const socketConnectionData = { ...CONFIG.socketConnectionData, transportValues: ["websocket"] };
  const world = harness({ answers: { "/config": { ...CONFIG, socketConnectionData }, [EVENTS]: held } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  assert.equal(pollsOf(world).length, 0);
});

test("a poll that is never answered is given up and asked again", async () => {
  const world = harness({ answers: { [EVENTS]: held } });
  world.client.subscribe("trip:tr_1", world.handlers);
  await failThreeTimes(world);
  await world.clock.advance(35000 + 2499);
  assert.equal(pollsOf(world).length, 1);
  await world.clock.advance(1);
  assert.equal(pollsOf(world).length, 2);
});
