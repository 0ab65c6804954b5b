/** Geodesy of the map. Places are `{ latitude, longitude }` in degrees; the world is Mercator's square of side 1. */

const EARTH_METERS = 6371008.8;
const CIRCUMFERENCE_METERS = 2 * Math.PI * EARTH_METERS;
const MERCATOR_LIMIT_DEGREES = 85.0511;
const radians = (degrees) => (degrees * Math.PI) / 180;

/** Projects a place into the world's square; x to the east, y to the south. */
export function worldOf({ latitude, longitude }) {
  const limited = Math.max(-MERCATOR_LIMIT_DEGREES, Math.min(MERCATOR_LIMIT_DEGREES, latitude));
  const sine = Math.sin(radians(limited));
  return { x: longitude / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

export function coordinateOf({ x, y }) {
  const latitude = (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
  return { latitude, longitude: (x - 0.5) * 360 };
}

/** Returns the length of a metre in the world's square at `y`. */
export function worldPerMeter(y) {
  const { latitude } = coordinateOf({ x: 0, y });
  return 1 / (CIRCUMFERENCE_METERS * Math.cos(radians(latitude)));
}

/** Returns `x` plus the number of worlds (of width 1) that brings it nearest to `near`. */
export function nearestCopy(near, x) {
  return x + Math.round(near - x);
}

/** Normalizes a longitude to -180 to 180. */
export function normalLongitude(longitude) {
  return Math.abs(longitude) <= 180 ? longitude : turnDegrees(0, longitude);
}

/** Returns the mean longitude of places, also across the date line. */
export function middleLongitude(places) {
  const sum = (part) => places.reduce((total, { longitude }) => total + part(radians(longitude)), 0);
  return (Math.atan2(sum(Math.sin), sum(Math.cos)) * 180) / Math.PI;
}

/** Returns the distance in metres by the equirectangular approximation, accurate enough within a town. */
export function distanceMeters(from, to) {
  const north = radians(to.latitude - from.latitude);
  const narrow = Math.cos(radians((from.latitude + to.latitude) / 2));
  const east = radians(turnDegrees(from.longitude, to.longitude)) * narrow;
  return Math.hypot(north, east) * EARTH_METERS;
}

/** Returns the place `meters` away in the direction `heading` (degrees clockwise from north). */
export function positionAhead({ latitude, longitude }, heading, meters) {
  const north = (Math.cos(radians(heading)) * meters) / EARTH_METERS;
  const east = (Math.sin(radians(heading)) * meters) / (EARTH_METERS * Math.cos(radians(latitude)));
  return {
    latitude: latitude + (north * 180) / Math.PI,
    longitude: normalLongitude(longitude + (east * 180) / Math.PI),
  };
}

/** Returns the shorter turn from one heading or longitude to another, in degrees from -180 to below 180. */
export function turnDegrees(from, to) {
  return ((((to - from + 180) % 360) + 360) % 360) - 180;
}

const DIRECTIONS = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];

export function directionName(heading) {
  return DIRECTIONS[Math.round(heading / 45) % 8];
}
