import { distanceMeters, nearestCopy, turnDegrees, worldOf } from "./geo.js";

/** A turn is over after this time, also where the way to the next position takes longer. */
const LONGEST_TURN_MS = 700;
/** A vehicle that is told further away than this is put there at once. */
const LONGEST_GLIDE_METERS = 3000;

/** A marker that moves evenly to the position told last, and turns to its heading by the short way. */
export class Motion {
  #from = null;
  #to = null;
  #beganAt = 0;
  #durationMs = 0;
  #fromHeading = null;
  #turn = 0;
  #turnMs = 0;
  /** The position told last, which the marker moves to. */
  place = null;

  /** Moves on to `place`. Times are those of `requestAnimationFrame`. */
  moveTo(place, { heading = null, durationMs = 0, now }) {
    const present = this.#to ? this.at(now) : null;
    const isFar = this.place !== null && distanceMeters(this.place, place) > LONGEST_GLIDE_METERS;
    this.#to = worldOf(place);
    if (present) this.#to.x = nearestCopy(present.x, this.#to.x);
    this.#from = present && !isFar ? { x: present.x, y: present.y } : this.#to;
    this.#durationMs = durationMs;
    this.#beganAt = now;
    this.place = place;
    this.#turnTo(heading, present?.heading ?? null);
  }

  #turnTo(heading, present) {
    if (heading === null) {
      this.#fromHeading = present;
      this.#turn = 0;
      return;
    }
    this.#fromHeading = present ?? heading;
    this.#turn = turnDegrees(this.#fromHeading, heading);
    this.#turnMs = Math.min(this.#durationMs, LONGEST_TURN_MS);
  }

  /** Where the marker is, in the world's square, and its heading in degrees or `null`. */
  at(now) {
    const share = this.#share(now, this.#durationMs);
    const turned = this.#turn * this.#share(now, this.#turnMs);
    return {
      x: this.#from.x + (this.#to.x - this.#from.x) * share,
      y: this.#from.y + (this.#to.y - this.#from.y) * share,
      heading: this.#fromHeading === null ? null : this.#fromHeading + turned,
    };
  }

  isMoving(now) {
    return now < this.#beganAt + Math.max(this.#durationMs, this.#turnMs);
  }

  #share(now, durationMs) {
    return durationMs > 0 ? Math.max(0, Math.min(1, (now - this.#beganAt) / durationMs)) : 1;
  }
}
