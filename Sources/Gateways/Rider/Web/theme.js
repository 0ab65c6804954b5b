const KEY = "sightline-theme";
const SCHEME = matchMedia("(prefers-color-scheme: dark)");
/** The user's choice, for browsers that deny access to `localStorage`. */
let chosen = null;

/** Shows light or dark colours: those of the system until the user chooses with `button`. */
export function makeTheme(button, onChange) {
  const isDark = () => (stored() ?? (SCHEME.matches ? "dark" : "light")) === "dark";
  const apply = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    button.setAttribute("aria-pressed", String(isDark()));
    onChange();
  };
  SCHEME.addEventListener("change", apply);
  button.addEventListener("click", () => {
    store(isDark() ? "light" : "dark");
    apply();
  });
  apply();
}

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
