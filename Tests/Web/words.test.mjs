import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const {
  delayText, distance, duration, intervalText, notificationText, problemText, signalText, speed, countdown, tripTitle,
} = await import("../../Sources/Gateways/Rider/Web/words.js");
const schema = (name) => JSON.parse(readFileSync(new URL(`../../docs/schemas/${name}.schema.json`, import.meta.url)));

test("a remaining time is rounded to minutes, and in hours from 60 minutes on", () => {
  const cases = {
    0: "now", 29: "now", 30: "1 min", 89: "1 min", 90: "2 min", 3569: "59 min", 3570: "1:00 h", 5400: "1:30 h",
  };
  for (const [seconds, text] of Object.entries(cases)) {
    assert.equal(countdown(Number(seconds)).join(" ").trim(), text, seconds);
  }
});

test("an interval is rounded outwards to whole minutes, and empty if it then spans at most 1 min", () => {
  assert.equal(intervalText([170, 330]), "2–6 min");
  assert.equal(intervalText([20, 130]), "within 3 min");
  assert.equal(intervalText([121, 179]), "");
  assert.equal(intervalText([0, 50]), "");
});

test("each class of delay except UNKNOWN has a text", () => {
  assert.equal(delayText({ delay: "DELAYED", delay_seconds: 150 }), "3 min late");
  assert.equal(delayText({ delay: "DELAYED", delay_seconds: 1 }), "1 min late");
  assert.equal(delayText({ delay: "EARLY", delay_seconds: -61 }), "1 min early");
  assert.equal(delayText({ delay: "ON_TIME", delay_seconds: 20 }), "On time");
  assert.equal(delayText({ delay: "UNKNOWN" }), null);
});

test("durations, distances and speeds have units", () => {
  assert.deepEqual([999, 59999, 60000, 3599999, 3600000].map(duration), ["0 s", "59 s", "1 min", "59 min", "1 h"]);
  assert.deepEqual([4, 944, 950, 12345].map(distance), ["0 m", "940 m", "0.9 km", "12.3 km"]);
  assert.deepEqual([0, 10, null].map(speed), ["0 km/h", "36 km/h", "–"]);
});

test("every trip state has its own title, and every notification a text", () => {
  const { $defs: definitions } = schema("rider.updates");
  const { enum: states } = definitions.trip_state_changed.properties.payload.properties.state;
  const titles = states.map((state) => tripTitle({ state, change: null, facts: null }));
  assert.equal(new Set(titles).size, states.length);
  assert.equal(tripTitle({ state: "ARRIVED", facts: { driver: { first_name: "Mira" } } }), "Mira is waiting for you");
  const { enum: moments } = definitions.notification.properties.payload.properties.moment;
  for (const moment of moments) assert.ok(notificationText({ moment }), moment);
  const sooner = { moment: "ETA_MOVED", eta_change_seconds: -360 };
  assert.equal(notificationText(sooner), "Arrival is 6 min earlier than estimated before");
});

test("every risk signal has a description, and an unknown signal has a name", () => {
  const { risk_signals: { items: { enum: codes } } } = schema("driver.locations").properties;
  for (const code of codes) assert.ok(signalText(code).meaning, code);
  assert.equal(signalText("NEW_SIGNAL").name, "new signal");
});

test("every problem has a title and a text, also an unknown problem", () => {
  for (const code of ["TOKEN_MISSING", "TOKEN_INVALID", "TOKEN_EXPIRED", "NOT_ALLOWED", "TRIP_NOT_FOUND", "OTHER"]) {
    assert.ok(problemText(code).title && problemText(code).text.endsWith("."), code);
  }
});
