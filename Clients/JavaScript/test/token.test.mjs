import assert from "node:assert/strict";
import { test } from "node:test";
import { SightlineClient } from "../sightline.js";
import { settle } from "../testing/fakes.mjs";
import { harness } from "../testing/harness.mjs";

const expired = { type: "error", code: "TOKEN_EXPIRED", message: "The token expired at 10:00." };

test("an expired token is replaced, and the client reconnects at once", async () => {
  let number = 0;
  const setup = harness({ token: undefined, getToken: async () => `N${number += 1}` });
  await setup.goLive();
  assert.equal(setup.socket.url.searchParams.get("token"), "N1");
  setup.socket.receive(expired);
  await setup.clock.advance(0);
  assert.equal(setup.sockets.length, 2);
  assert.equal(setup.socket.url.searchParams.get("token"), "N2");
  assert.deepEqual(setup.statusNames(), ["connecting", "live", "reconnecting"]);
});

test("the close code 4401 means a rejected token, also without an error message", async () => {
  const setup = harness({ getToken: () => "N1" });
  await setup.goLive();
  setup.socket.disconnect(4401);
  await setup.clock.advance(0);
  assert.equal(setup.socket.url.searchParams.get("token"), "N1");
});

test("without getToken a rejected token closes the client", async () => {
  const setup = harness();
  await setup.goLive();
  setup.socket.receive(expired);
  assert.deepEqual(setup.client.status, { status: "closed", reason: "TOKEN_EXPIRED" });
  assert.equal(setup.record.clientErrors[0].message, expired.message);
  await setup.clock.advance(60000);
  assert.equal(setup.sockets.length, 1);
});

test("the third rejected token in a row closes the client", async () => {
  let number = 0;
  const setup = harness({ getToken: () => `N${number += 1}` });
  setup.client.connect();
  for (let round = 0; round < 3; round += 1) {
    await setup.clock.advance(20000 * (round > 0));
    setup.socket.welcome();
    setup.socket.receive(expired);
  }
  assert.deepEqual(setup.client.status, { status: "closed", reason: "TOKEN_EXPIRED" });
  assert.equal(number, 2);
});

test("a failed token fetch is retried", async () => {
  let number = 0;
  const getToken = async () => {
    number += 1;
    if (number === 1) throw new Error("offline");
    return "N2";
  };
  const setup = harness({ token: undefined, getToken });
  setup.client.connect();
  await settle();
  assert.equal(setup.client.status.reason, "TOKEN_UNAVAILABLE");
  await setup.clock.advance(500);
  assert.equal(setup.socket.url.searchParams.get("token"), "N2");
});

test("refreshToken sends a new token over the open connection", async () => {
  const setup = harness({ getToken: () => "N1" });
  await setup.goLive();
  await setup.client.refreshToken();
  assert.deepEqual(setup.socket.sent.at(-1), { type: "authenticate", token: "N1" });
  assert.equal(setup.sockets.length, 1);
});

test("a client without a WebSocket or a URL throws", () => {
  const without = { url: "http://gateway.test", WebSocket: null };
  if (!globalThis.WebSocket) assert.throws(() => new SightlineClient(without), { code: "NO_WEBSOCKET" });
  assert.throws(() => new SightlineClient({ WebSocket: class {} }), { code: "NO_URL" });
});
