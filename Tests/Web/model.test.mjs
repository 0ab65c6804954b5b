import assert from "node:assert/strict";
import { test } from "node:test";

const WEB = "../../Sources/Gateways/Rider/Web";
const { Camera } = await import(`${WEB}/camera.js`);
const { distanceMeters, middleLongitude, positionAhead, coordinateOf, turnDegrees, worldOf, worldPerMeter } = await import(
  `${WEB}/geo.js`);
const { Motion } = await import(`${WEB}/motion.js`);
const { Route, decodePolyline } = await import(`${WEB}/polyline.js`);
const { TripModel, remaining } = await import(`${WEB}/trip-model.js`);

const MUNICH = { latitude: 48.137, longitude: 11.575 };
const NOW = Date.parse("2026-11-23T10:00:00.000Z");
const at = (seconds) => new Date(NOW + seconds * 1000).toISOString();
const near = (actual, expected, tolerance, text) => {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${text ?? ""} ${actual} is not ${expected} ± ${tolerance}`);
};

/** Encodes a polyline with five decimal places, like the pipeline. */
function encodePolyline(points) {
  let [text, last] = ["", [0, 0]];
  for (const { latitude, longitude } of points) {
    const current = [latitude, longitude].map((degrees) => Math.round(degrees * 1e5));
    for (const axis of [0, 1]) {
      const difference = current[axis] - last[axis];
      let value = difference < 0 ? -2 * difference - 1 : 2 * difference;
      for (; value >= 32; value = Math.floor(value / 32)) text += String.fromCharCode((value % 32) + 32 + 63);
      text += String.fromCharCode(value + 63);
    }
    last = current;
  }
  return text;
}

const EAST = [0, 500, 1000].map((meters) => positionAhead(MUNICH, 90, meters));

function location(seconds, values = {}) {
  return {
    ...MUNICH, heading: 90, speed_mps: 10, interpolation_hint: { duration_ms: 2000, easing: "linear" },
    server_timestamp: at(seconds), is_stale: false, stale_seconds: 0, ...values,
  };
}

function stop(kind, values = {}) {
  const usual = { status: "VALID", delay: "ON_TIME", computed_at: at(0), seconds: 60 };
  return { stop_id: kind.toLowerCase(), kind, ...usual, ...values };
}

test("a coordinate is projected to the unit square of the world map and back", () => {
  assert.deepEqual(worldOf({ latitude: 0, longitude: 0 }), { x: 0.5, y: 0.5 });
  const { latitude, longitude } = coordinateOf(worldOf(MUNICH));
  near(latitude, MUNICH.latitude, 1e-9);
  near(longitude, MUNICH.longitude, 1e-9);
  near(worldOf({ latitude: 90, longitude: 0 }).y, 0, 1e-5, "the poles are at the edge");
});

test("distances agree with the map's scale", () => {
  for (const heading of [0, 90, 200, 315]) {
    const end = positionAhead(MUNICH, heading, 100);
    near(distanceMeters(MUNICH, end), 100, 0.01);
    const [from, to] = [worldOf(MUNICH), worldOf(end)];
    near(Math.hypot(to.x - from.x, to.y - from.y) / worldPerMeter(from.y), 100, 0.1);
  }
});

test("turnDegrees returns the turn in the shorter direction", () => {
  assert.equal(turnDegrees(350, 10), 20);
  assert.equal(turnDegrees(10, 350), -20);
  assert.equal(turnDegrees(0, 180), -180);
  assert.equal(turnDegrees(725, 5), 0);
});

test("the example in Google's polyline documentation is decoded", () => {
  assert.deepEqual(decodePolyline("_p~iF~ps|U_ulLnnqC_mqNvxq`@"), [
    { latitude: 38.5, longitude: -120.2 }, { latitude: 40.7, longitude: -120.95 },
    { latitude: 43.252, longitude: -126.453 },
  ]);
});

test("a polyline that is truncated, malformed or out of range decodes to null", () => {
  for (const text of ["_p~iF~ps|", "_p~iF ps|U", "_p~iF~ps|Ué", encodePolyline([{ latitude: 91, longitude: 0 }])]) {
    assert.equal(decodePolyline(text), null, text);
  }
});

test("a route has at least two points", () => {
  near(Route.decode(encodePolyline(EAST)).lengthMeters, 1000, 2);
  for (const text of ["", encodePolyline(EAST.slice(0, 1)), "_p~iF"]) assert.equal(Route.decode(text), null, text);
});

test("a route finds the nearest point to a position", () => {
  const route = new Route(EAST);
  const offRoute = positionAhead(positionAhead(MUNICH, 90, 700), 0, 40);
  near(route.nearest(offRoute).alongMeters, 700, 1);
  near(route.nearest(offRoute).awayMeters, 40, 1);
  near(route.progress(offRoute), 700, 1);
  assert.equal(route.progress(positionAhead(MUNICH, 0, 70)), null);
  near(distanceMeters(route.at(700), positionAhead(MUNICH, 90, 700)), 0, 1);
  near(distanceMeters(route.at(5000), route.end), 0, 1e-6);
  near(distanceMeters(route.at(-5), MUNICH), 0, 1e-6);
});

test("a marker glides at constant speed to its position, and turns in the shorter direction", () => {
  const motion = new Motion();
  motion.moveTo(MUNICH, { heading: 350, durationMs: 2000, now: 0 });
  assert.deepEqual({ ...motion.at(0) }, { ...worldOf(MUNICH), heading: 350 }, "the first position applies at once");
  const next = positionAhead(MUNICH, 90, 20);
  motion.moveTo(next, { heading: 10, durationMs: 2000, now: 5000 });
  const fraction = (time) => (motion.at(time).x - worldOf(MUNICH).x) / (worldOf(next).x - worldOf(MUNICH).x);
  const expected = [[5000, 0], [5500, 0.25], [6000, 0.5], [7000, 1], [9000, 1]];
  for (const [time, part] of expected) near(fraction(time), part, 1e-6);
  near(motion.at(5350).heading, 360, 1e-9);
  near(motion.at(5700).heading, 370, 1e-9);
  assert.ok(motion.isMoving(6999) && !motion.isMoving(7000));
});

test("a marker that gets a new position during a glide continues from its current point", () => {
  const motion = new Motion();
  motion.moveTo(MUNICH, { heading: 0, durationMs: 1000, now: 0 });
  motion.moveTo(EAST[1], { heading: 90, durationMs: 1000, now: 1000 });
  const middle = motion.at(1500);
  motion.moveTo(MUNICH, { heading: null, durationMs: 1000, now: 1500 });
  near(motion.at(1500).x, middle.x, 1e-15);
  near(motion.at(1500).heading, middle.heading, 1e-9, "without a heading the marker keeps its last heading");
  near(motion.at(2500).x, worldOf(MUNICH).x, 1e-15);
});

test("a marker jumps over long distances", () => {
  const motion = new Motion();
  motion.moveTo(MUNICH, { heading: 0, durationMs: 1000, now: 0 });
  const far = positionAhead(MUNICH, 0, 3100);
  motion.moveTo(far, { heading: 0, durationMs: 1000, now: 1000 });
  near(motion.at(1000).y, worldOf(far).y, 1e-12);
});

test("the remaining time is the estimate minus its age, and at least 0", () => {
  const eta = stop("PICKUP", { seconds: 100, min_seconds: 80, max_seconds: 130, computed_at: at(-30) });
  assert.deepEqual(remaining(eta, NOW), { seconds: 70, interval: [50, 100], arrivesAt: NOW + 70000 });
  assert.deepEqual(remaining(eta, NOW + 90000), { seconds: 0, interval: [0, 10], arrivesAt: NOW + 70000 });
  for (const status of ["PASSED", "UNAVAILABLE"]) assert.equal(remaining({ ...eta, status }, NOW), null);
  assert.equal(remaining(null, NOW), null);
});

test("the next stop depends on the state of the trip", () => {
  const trip = new TripModel();
  const eta = { computed_at: at(0), is_stale: false, pickup_eta: stop("PICKUP"), dropoff_eta: stop("DROPOFF") };
  trip.applySnapshot({ state: "ACCEPTED", eta });
  assert.equal(trip.nextStop.kind, "PICKUP");
  trip.applyChange({ state: "ARRIVED" });
  assert.equal(trip.nextStop.kind, "DROPOFF");
  trip.applyChange({ state: "COMPLETED" });
  assert.equal(trip.nextStop, null);
});

test("the next stop of a route is the first stop that is not passed", () => {
  const trip = new TripModel();
  const stops = [stop("STOP", { stop_id: "a", status: "PASSED" }), stop("STOP", { stop_id: "b" })];
  trip.applySnapshot({ state: "IN_PROGRESS", eta: { computed_at: at(0), is_stale: false, stop_etas: stops } });
  assert.equal(trip.nextStop.stop_id, "b");
});

test("a vehicle is silent after 10 s or two and a half intervals, whichever is longer", () => {
  const trip = new TripModel();
  trip.applySnapshot({ state: "IN_PROGRESS", position: location(0) });
  assert.ok(!trip.isSilent(NOW + 9999));
  assert.ok(trip.isSilent(NOW + 10000));
  trip.applyPosition(location(0, { interpolation_hint: { duration_ms: 30000 } }));
  assert.ok(!trip.isSilent(NOW + 74999));
  assert.ok(trip.isSilent(NOW + 75000));
  trip.applyPosition(location(0, { is_stale: true }));
  assert.ok(trip.isSilent(NOW));
  trip.applyChange({ state: "COMPLETED" });
  assert.ok(!trip.isSilent(NOW + 75000));
});

test("a silent vehicle's ghost (estimate) moves for 20 s after the last position, and fades in 20 s of silence", () => {
  const trip = new TripModel();
  trip.applySnapshot({ state: "IN_PROGRESS", position: location(0) });
  const ahead = (seconds) => distanceMeters(MUNICH, trip.ghost(NOW + seconds * 1000).place);
  assert.equal(trip.ghost(NOW + 9999), null);
  near(ahead(12), 120, 0.1);
  near(ahead(20), 200, 0.1);
  near(ahead(29), 200, 0.1);
  assert.ok(trip.ghost(NOW + 25000).alpha < trip.ghost(NOW + 15000).alpha);
  assert.equal(trip.ghost(NOW + 30000), null);
  trip.applyPosition(location(0, { speed_mps: 0.9 }));
  assert.equal(trip.ghost(NOW + 15000), null, "a stopped vehicle has no ghost");
  trip.applyPosition(location(0, { heading: undefined }));
  assert.equal(trip.ghost(NOW + 15000), null, "without a heading the direction is unknown");
});

test("the ghost follows the route around a bend", () => {
  const bend = positionAhead(MUNICH, 90, 50);
  const route = [MUNICH, bend, positionAhead(bend, 0, 500)];
  const trip = new TripModel();
  trip.applySnapshot({ state: "IN_PROGRESS", position: location(0), route_polyline: encodePolyline(route) });
  const { place, heading } = trip.ghost(NOW + 15000);
  near(distanceMeters(place, positionAhead(bend, 0, 100)), 0, 2);
  near(heading, 0, 0.5);
});

test("a stop's position is derived from its distance along the route", () => {
  const trip = new TripModel();
  const eta = {
    computed_at: at(0), is_stale: false, pickup_eta: stop("PICKUP", { distance_meters: 400 }),
    dropoff_eta: stop("DROPOFF", { distance_meters: 990 }),
  };
  trip.applySnapshot({ state: "ACCEPTED", position: location(0), eta, route_polyline: encodePolyline(EAST) });
  const [pickup, dropoff] = trip.stopsWithPosition;
  near(distanceMeters(pickup.place, positionAhead(MUNICH, 90, 400)), 0, 3);
  near(distanceMeters(dropoff.place, EAST[2]), 0, 3);
  trip.applyPosition(location(10, { longitude: positionAhead(MUNICH, 90, 100).longitude }));
  near(distanceMeters(trip.stopsWithPosition[0].place, positionAhead(MUNICH, 90, 400)), 0, 3, "a later position moves no stop");
});

test("a stop's position is corrected for the distance driven since an older ETA", () => {
  const trip = new TripModel();
  const pickup = stop("PICKUP", { distance_meters: 600, computed_at: at(-30) });
  const eta = { computed_at: at(-30), is_stale: false, pickup_eta: pickup };
  trip.applySnapshot({ state: "ACCEPTED", position: location(0), eta, route_polyline: encodePolyline(EAST) });
  near(distanceMeters(trip.stopsWithPosition[0].place, positionAhead(MUNICH, 90, 300)), 0, 3);
  trip.applyEta({ ...eta, computed_at: at(0), pickup_eta: stop("PICKUP", { distance_meters: 350 }) });
  near(distanceMeters(trip.stopsWithPosition[0].place, positionAhead(MUNICH, 90, 350)), 0, 3, "a current ETA is preferred");
});

test("stop positions from the trip service take precedence over the route", () => {
  const trip = new TripModel();
  const eta = { computed_at: at(0), is_stale: false, pickup_eta: stop("PICKUP", { distance_meters: 400 }) };
  trip.applySnapshot({ state: "ACCEPTED", eta, facts: { pickup: { latitude: 1, longitude: 2 } } });
  assert.deepEqual(trip.stopsWithPosition[0].place, { latitude: 1, longitude: 2 });
});

test("before a driver is assigned, the positions of stops come from the facts", () => {
  const trip = new TripModel();
  const facts = { pickup: { latitude: 1, longitude: 2 }, dropoff: { name: "Home" } };
  trip.applySnapshot({ state: "REQUESTED", facts });
  assert.deepEqual(trip.stopsWithPosition.map(({ kind, place, isPassed }) => [kind, place, isPassed]), [
    ["PICKUP", facts.pickup, false],
  ]);
  assert.equal(trip.nextStop, null, "no arrival time is shown");
  trip.applySnapshot({ state: "CANCELLED", facts });
  assert.deepEqual(trip.stopsWithPosition, []);
});

test("after arrival the pickup is at the vehicle, even if the route starts elsewhere", () => {
  const trip = new TripModel();
  const here = positionAhead(MUNICH, 90, 400);
  const eta = {
    computed_at: at(0), is_stale: false, pickup_eta: stop("PICKUP", { status: "PASSED" }), dropoff_eta: stop("DROPOFF"),
  };
  const values = { position: location(0, here), eta, route_polyline: encodePolyline(EAST) };
  trip.applySnapshot({ state: "ARRIVED", ...values });
  assert.equal(trip.stopsWithPosition[0].isPassed, true);
  near(distanceMeters(trip.stopsWithPosition[0].place, here), 0, 1);
  trip.applySnapshot({ state: "IN_PROGRESS", ...values });
  near(distanceMeters(trip.stopsWithPosition[0].place, EAST[0]), 0, 3, "in progress, the route starts at the pickup");
});

test("assigning another driver (a rematch) clears the state of the previous vehicle", () => {
  const trip = new TripModel();
  trip.applySnapshot({ state: "ACCEPTED", position: location(0), route_polyline: encodePolyline(EAST) });
  trip.applyChange({ state: "ACCEPTED", rematched: true, facts: { driver: { first_name: "Mira" } } });
  assert.deepEqual([trip.position, trip.route, trip.eta], [null, null, null]);
  assert.equal(trip.facts.driver.first_name, "Mira");
});

/** Seven points across the date line east of Fiji, 213 m apart. */
const OVER_DATE_LINE = [...Array(7).keys()].map((index) => {
  const longitude = 179.994 + index * 0.002;
  return { latitude: -16.7, longitude: longitude > 180 ? longitude - 360 : longitude };
});

test("a route across the date line has the correct length and points", () => {
  const route = new Route(OVER_DATE_LINE);
  near(route.lengthMeters, 1278, 2);
  near(distanceMeters(OVER_DATE_LINE[3], OVER_DATE_LINE[4]), 213, 1);
  for (const [meters, longitude] of [[0, 179.994], [532, 179.999], [746, -179.999], [1278, -179.994]]) {
    const point = route.at(meters);
    near(Math.abs(turnDegrees(point.longitude, longitude)), 0, 2e-5);
    assert.ok(Math.abs(point.longitude) <= 180);
    near(route.progress(point), meters, 1);
  }
  near(Math.abs(middleLongitude(OVER_DATE_LINE)), 180, 1e-6);
  near(positionAhead(OVER_DATE_LINE[3], 90, 213).longitude, -179.998, 1e-5);
});

test("the camera shows a street across the date line, and crosses the line by the shorter path", () => {
  const camera = new Camera(() => {});
  camera.resize(800, 600, { top: 0, right: 0, bottom: 0, left: 0 });
  const target = camera.targetFor(OVER_DATE_LINE);
  assert.ok(target.zoom > 14, `zoom ${target.zoom}`);
  camera.flyTo({ ...worldOf(OVER_DATE_LINE[0]), zoom: 15 }, 0, { durationMs: 0 });
  const points = OVER_DATE_LINE.map((point) => camera.toScreen(worldOf(point)));
  points.slice(1).forEach((point, index) => near(point.x - points[index].x, points[1].x - points[0].x, 0.01));
  camera.flyTo({ ...worldOf(OVER_DATE_LINE.at(-1)), zoom: 15 }, 0, { durationMs: 100 });
  for (let now = 0; now <= 100; now += 10) {
    camera.step(now);
    const fromLine = Math.min(camera.x, 1 - camera.x);
    assert.ok(camera.x >= 0 && camera.x < 1 && fromLine < 1e-4, `x ${camera.x}`);
  }
});

test("a marker crosses the date line by the shorter path", () => {
  const motion = new Motion();
  motion.moveTo(OVER_DATE_LINE[3], { now: 0 });
  motion.moveTo(OVER_DATE_LINE[4], { now: 0, durationMs: 100 });
  const [start, middle, end] = [0, 50, 100].map((now) => motion.at(now).x);
  near(middle - start, end - middle, 1e-12);
  near(end - start, 0.002 / 360, 1e-9);
});
