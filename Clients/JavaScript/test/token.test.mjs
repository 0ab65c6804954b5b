import assert from "node:assert/strict";
import { test } from "node:test";
import { SightlineClient } from "../sightline.js";
import { settle } from "../testing/fakes.mjs";
import { harness } from "../testing/harness.mjs";

const expired = { type: "error", code: "TOKEN_EXPIRED", message: "The token expired at 10:00." };

test("an expired token is replaced, and the client connects at once", async () => {
  let number = 0;
  const world = harness({ token: undefined, getToken: async () => `N${number += 1}` });
  await world.goLive();
  assert.equal(world.socket.url.searchParams.get("token"), "N1");
  world.socket.receive(expired);
  await world.clock.advance(0);
  assert.equal(world.sockets.length, 2);
  assert.equal(world.socket.url.searchParams.get("token"), "N2");
  assert.deepEqual(world.statusNames(), ["connecting", "live", "reconnecting"]);
});

test("a close with 4401 is a refused token, also without a message before it", async () => {
  const world = harness({ getToken: () => "N1" });
  await world.goLive();
  world.socket.breakOff(4401);
  await world.clock.advance(0);
  assert.equal(world.socket.url.searchParams.get("token"), "N1");
});

test("without getToken a refused token closes the client, with the reason", async () => {
  const world = harness();
  await world.goLive();
  world.socket.receive(expired);
  assert.deepEqual(world.client.status, { status: "closed", reason: "TOKEN_EXPIRED" });
  assert.equal(world.record.clientErrors[0].message, expired.message);
  await world.clock.advance(60000);
  assert.equal(world.sockets.length, 1);
});

test("the third token in a row that is refused closes the client", async () => {
  let number = 0;
  const world = harness({ getToken: () => `N${number += 1}` });
  world.client.connect();
  for (let time = 0; time < 3; time += 1) {
    await world.clock.advance(20000 * (time > 0));
    world.socket.welcome();
    world.socket.receive(expired);
  }
  assert.deepEqual(world.client.status, { status: "closed", reason: "TOKEN_EXPIRED" });
  assert.equal(number, 2);
});

test("a token that cannot be fetched is fetched again later", async () => {
  let number = 0;
  const getToken = async () => {
    number += 1;
    if (number === 1) throw new Error("offline");
    return "N2";
  };
  const world = harness({ token: undefined, getToken });
  world.client.connect();
  await settle();
  assert.equal(world.client.status.reason, "TOKEN_UNAVAILABLE");
  await world.clock.advance(500);
  assert.equal(world.socket.url.searchParams.get("token"), "N2");
});

test("refreshToken gives a new token to the server on the open connection", async () => {
  const world = harness({ getToken: () => "N1" });
  await world.goLive();
  await world.client.refreshToken();
  assert.deepEqual(world.socket.sent.at(-1), { type: "authenticate", token: "N1" });
  assert.equal(world.sockets.length, 1);
});

test("a client without a WebSocket or an address says what to pass", () => {
  const without = { url: "http://gateway.test", WebSocket: null };
  if (!globalThis.WebSocket) assert.throws(() => new SightlineClient(without), { code: "NO_WEBSOCKET" });
  assert.throws(() => new SightlineClient({ WebSocket: class {} }), { code: "NO_URL" });
});
