const KEY = "sightline-theme";
const SCHEME = matchMedia("(prefers-color-scheme: dark)");

/** Light or dark colours: the system's preference until the user chooses. */
export class Theme {
  #button;
  #onChange;

  constructor(button, onChange) {
    this.#button = button;
    this.#onChange = onChange;
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
    this.#onChange();
  }
}

/** The user's choice, in case the browser denies access to storage. */
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
    // `chosen` keeps the value.
  }
}
