/** Named timers: setting a timer replaces the previous one of that name. */
export class Timers {
  #clock;
  #timers = new Map();

  constructor(clock) {
    this.#clock = clock;
  }

  set(name, ms, work) {
    this.cancel(name);
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(name);
      work();
    }, ms);
    this.#timers.set(name, timer);
  }

  has(name) {
    return this.#timers.has(name);
  }

  cancel(name) {
    if (!this.#timers.has(name)) return;
    this.#clock.clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  cancelAll() {
    for (const name of [...this.#timers.keys()]) this.cancel(name);
  }
}
