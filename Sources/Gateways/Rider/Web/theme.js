const KEY = "sightline-theme";
const SCHEME = matchMedia("(prefers-color-scheme: dark)");

/** Light or dark: as the system has it, until the reader chooses. */
export class Theme {
  #button;
  #changed;

  constructor(button, changed) {
    this.#button = button;
    this.#changed = changed;
    SCHEME.addEventListener("change", () => this.#apply());
    button.addEventListener("click", () => {
      store(this.#isDark ? "light" : "dark");
      this.#apply();
    });
    this.#apply();
  }

  get #isDark() {
    return (stored() ?? (SCHEME.matches ? "dark" : "light")) === "dark";
  }

  #apply() {
    document.documentElement.dataset.theme = this.#isDark ? "dark" : "light";
    this.#button.setAttribute("aria-pressed", String(this.#isDark));
    this.#changed();
  }
}

/** A page may be denied its storage; the choice then lasts as long as the page. */
let chosen = null;

function stored() {
  try {
    return localStorage.getItem(KEY) ?? chosen;
  } catch {
    return chosen;
  }
}

function store(value) {
  chosen = value;
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // It stays in memory.
  }
}
