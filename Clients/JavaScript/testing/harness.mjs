import { SightlineClient } from "../sightline.js";
import { FakeClock, fakeFetch, fakeSockets, settle } from "./fakes.mjs";

export const CONFIG = {
  socketConnectionData: {
    baseUrl: "", socketPath: "/realtime", socketReconnectionDelay: 500, maxReconnectionDelay: 15000,
    connectionTimeout: 10000, transportValues: ["websocket", "polling"],
  },
  pingIntervalMs: 25000,
  pollingIntervalMs: 5000,
};

/** A client with everything around it under the test's control. `random` is 1/2 unless the test sets it. */
export function harness({ answers = {}, ...options } = {}) {
  const clock = new FakeClock();
  const { FakeWebSocket, sockets } = fakeSockets();
  const { fetch, requests } = fakeFetch({ "/config": CONFIG, ...answers });
  const record = { snapshots: [], events: [], errors: [], statuses: [], clientErrors: [] };
  const world = { clock, sockets, requests, record, random: 0.5 };
  world.client = new SightlineClient({
    url: "http://gateway.test", token: "T1", WebSocket: FakeWebSocket, fetch, clock, random: () => world.random,
    onStatus: (status) => record.statuses.push(status),
    onError: (error) => record.clientErrors.push(error),
    ...options,
  });
  world.handlers = {
    snapshot: (snapshot) => record.snapshots.push(snapshot),
    event: ({ event_id: id }) => record.events.push(id),
    error: (error) => record.errors.push(error),
  };
  Object.defineProperty(world, "socket", { get: () => sockets.at(-1) });
  world.statusNames = () => record.statuses.map(({ status }) => status);
  /** Subscribes, and plays the server until the subscription is confirmed. */
  world.goLive = async (channel = "trip:tr_1", confirmation = { replay_from: null }) => {
    world.subscription = world.client.subscribe(channel, world.handlers);
    await settle();
    world.socket.welcome();
    world.socket.receive({ type: "subscribed", channel, ...confirmation });
  };
  /** Breaks the connection off and waits for the next one. */
  world.reconnect = async (code) => {
    const count = sockets.length;
    world.socket.breakOff(code);
    const end = clock.now() + 20000;
    while (sockets.length === count && clock.now() < end) await clock.advance(50);
    if (sockets.length === count) throw new Error("The client did not connect again within 20 s.");
  };
  return world;
}
