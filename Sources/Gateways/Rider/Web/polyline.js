import { distanceMeters, normalLongitude, turnDegrees, worldOf } from "./geo.js";

/** Polylines in rider updates have five decimal digits. */
const SCALE = 1e5;

/** Decodes an encoded polyline; `null` if it is truncated or has coordinates out of range. */
export function decodePolyline(text) {
  const places = [];
  let cursor = 0;
  const sums = [0, 0];
  while (cursor < text.length) {
    for (let axis = 0; axis < 2; axis += 1) {
      let value = 0;
      let factor = 1;
      let group;
      do {
        group = text.charCodeAt(cursor++) - 63;
        if (!(group >= 0 && group < 64) || factor > 2 ** 35) return null;
        value += (group & 31) * factor;
        factor *= 32;
      } while (group >= 32);
      sums[axis] += value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    }
    const place = { latitude: sums[0] / SCALE, longitude: sums[1] / SCALE };
    if (Math.abs(place.latitude) > 90 || Math.abs(place.longitude) > 180) return null;
    places.push(place);
  }
  return places;
}

/** Maximum distance from the route of a vehicle that counts as on the route. */
const ON_ROUTE_METERS = 60;

/** A route's line, with the distance along it at each point. */
export class Route {
  constructor(places) {
    this.places = places;
    this.world = places.map(worldOf);
    this.meters = [0];
    for (let index = 1; index < places.length; index += 1) {
      this.meters.push(this.meters[index - 1] + distanceMeters(places[index - 1], places[index]));
    }
  }

  /** Decodes an encoded polyline; `null` if it is invalid or has fewer than two places. */
  static decode(text) {
    const places = decodePolyline(text);
    return places && places.length > 1 ? new Route(places) : null;
  }

  get lengthMeters() {
    return this.meters.at(-1);
  }

  get end() {
    return this.places.at(-1);
  }

  /** Finds the point of the route nearest to a place; returns its distance along the route and from the place. */
  nearest(place) {
    let best = { alongMeters: 0, awayMeters: Infinity };
    const narrow = Math.cos((place.latitude * Math.PI) / 180);
    for (let index = 1; index < this.places.length; index += 1) {
      const [from, to] = [this.places[index - 1], this.places[index]];
      const east = turnDegrees(from.longitude, to.longitude) * narrow;
      const north = to.latitude - from.latitude;
      const length = east * east + north * north;
      const placeEast = turnDegrees(from.longitude, place.longitude) * narrow;
      const dot = placeEast * east + (place.latitude - from.latitude) * north;
      const fraction = length > 0 ? Math.max(0, Math.min(1, dot / length)) : 0;
      const awayMeters = distanceMeters(place, between(from, to, fraction));
      if (awayMeters < best.awayMeters) {
        const alongMeters = this.meters[index - 1] + fraction * (this.meters[index] - this.meters[index - 1]);
        best = { alongMeters, awayMeters };
      }
    }
    return best;
  }

  /** Returns the distance along the route of a vehicle at `place`; `null` if it is not on the route. */
  progress(place) {
    const { alongMeters, awayMeters } = this.nearest(place);
    return awayMeters <= ON_ROUTE_METERS ? alongMeters : null;
  }

  /** Returns the place `meters` along the route, the index of the next point, and the fraction of the segment to it. */
  at(meters) {
    const limited = Math.max(0, Math.min(meters, this.lengthMeters));
    let index = 1;
    while (index < this.meters.length - 1 && this.meters[index] < limited) index += 1;
    const length = this.meters[index] - this.meters[index - 1];
    const fraction = length > 0 ? (limited - this.meters[index - 1]) / length : 0;
    return { ...between(this.places[index - 1], this.places[index], fraction), index, fraction };
  }
}

function between(from, to, fraction) {
  return {
    latitude: from.latitude + (to.latitude - from.latitude) * fraction,
    longitude: normalLongitude(from.longitude + turnDegrees(from.longitude, to.longitude) * fraction),
  };
}
