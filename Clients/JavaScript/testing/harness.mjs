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

/** Creates a client with a fake clock, sockets, fetch and random source (0.5 unless the test sets it). */
export function harness({ answers = {}, ...options } = {}) {
  const clock = new FakeClock();
  const { FakeWebSocket, sockets } = fakeSockets();
  const { fetch, requests } = fakeFetch({ "/config": CONFIG, ...answers });
  const record = { snapshots: [], events: [], errors: [], statuses: [], clientErrors: [] };
  const setup = { clock, sockets, requests, record, random: 0.5 };
  setup.client = new SightlineClient({
    url: "http://gateway.test", token: "T1", WebSocket: FakeWebSocket, fetch, clock, random: () => setup.random,
    onStatus: (status) => record.statuses.push(status),
    onError: (error) => record.clientErrors.push(error),
    ...options,
  });
  setup.handlers = {
    snapshot: (snapshot) => record.snapshots.push(snapshot),
    event: ({ event_id: id }) => record.events.push(id),
    error: (error) => record.errors.push(error),
  };
  Object.defineProperty(setup, "socket", { get: () => sockets.at(-1) });
  setup.statusNames = () => record.statuses.map(({ status }) => status);
  /** Subscribes and confirms the subscription. */
  setup.goLive = async (channel = "trip:tr_1", confirmation = { replay_from: null }) => {
    setup.subscription = setup.client.subscribe(channel, setup.handlers);
    await settle();
    setup.socket.welcome();
    setup.socket.receive({ type: "subscribed", channel, ...confirmation });
  };
  /** Disconnects, and welcomes the client on its next connection. */
  setup.reconnect = async () => {
    const count = sockets.length;
    setup.socket.disconnect();
    const end = clock.now() + 20000;
    while (sockets.length === count && clock.now() < end) await clock.advance(50);
    if (sockets.length === count) throw new Error("The client did not reconnect within 20 s.");
    setup.socket.welcome();
  };
  return setup;
}
