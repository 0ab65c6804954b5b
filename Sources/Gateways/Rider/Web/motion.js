import { distanceMeters, nearestCopy, turnDegrees, worldOf } from "./geo.js";

/** Maximum duration of a turn, even if the glide takes longer. */
const MAX_TURN_MS = 700;
/** Distance of a new position beyond which a marker jumps instead of gliding. */
const MAX_GLIDE_METERS = 3000;

/** A marker that glides to its latest position at constant speed, and turns to its heading. */
export class Motion {
  #from = null;
  #to = null;
  #startedAt = 0;
  #durationMs = 0;
  #fromHeading = null;
  #turn = 0;
  #turnMs = 0;
  /** The latest position, which the marker moves to. */
  place = null;

  /** Starts to glide to `place`. `now` is a time of `requestAnimationFrame`. */
  moveTo(place, { heading = null, durationMs = 0, now }) {
    const current = this.#to ? this.at(now) : null;
    const isFar = this.place !== null && distanceMeters(this.place, place) > MAX_GLIDE_METERS;
    this.#to = worldOf(place);
    if (current) this.#to.x = nearestCopy(current.x, this.#to.x);
    this.#from = current && !isFar ? { x: current.x, y: current.y } : this.#to;
    this.#durationMs = durationMs;
    this.#startedAt = now;
    this.place = place;
    this.#turnTo(heading, current?.heading ?? null);
  }

  #turnTo(heading, current) {
    if (heading === null) {
      this.#fromHeading = current;
      this.#turn = 0;
      return;
    }
    this.#fromHeading = current ?? heading;
    this.#turn = turnDegrees(this.#fromHeading, heading);
    this.#turnMs = Math.min(this.#durationMs, MAX_TURN_MS);
  }

  /** Returns the marker's point in the world's square, and its heading in degrees or `null`. */
  at(now) {
    const fraction = this.#fraction(now, this.#durationMs);
    const turned = this.#turn * this.#fraction(now, this.#turnMs);
    return {
      x: this.#from.x + (this.#to.x - this.#from.x) * fraction,
      y: this.#from.y + (this.#to.y - this.#from.y) * fraction,
      heading: this.#fromHeading === null ? null : this.#fromHeading + turned,
    };
  }

  isMoving(now) {
    return now < this.#startedAt + Math.max(this.#durationMs, this.#turnMs);
  }

  #fraction(now, durationMs) {
    return durationMs > 0 ? Math.max(0, Math.min(1, (now - this.#startedAt) / durationMs)) : 1;
  }
}
