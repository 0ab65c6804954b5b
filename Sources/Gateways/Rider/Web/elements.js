/** Creates an element: `element("li", { class: "row", "data-id": 7 }, "text", child)`. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else setAttributes(made, { [key]: value });
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Returns a function like `element` that also stores the element in `parts`, under the name in its first argument. */
export function partMaker(parts) {
  return (name, ...definition) => {
    parts[name] = element(...definition);
    return parts[name];
  };
}

/** Sets a text only if it differs, to avoid new layouts and screen reader announcements. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Sets attributes that changed; `null`, `undefined` and `false` remove the attribute. */
export function setAttributes(target, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) target.removeAttribute(key);
    else if (target.getAttribute(key) !== String(value)) target.setAttribute(key, value);
  }
}

const MARKS = {
  trip: "M8 1 13.6 14 8 11.2 2.4 14Z",
  free: "M8 2 13 13.4 8 11 3 13.4Z",
  bus: "M4.5 1.5h7a2 2 0 0 1 2 2v8a1.5 1.5 0 0 1-1 1.4V14H10v-1H6v1H3.5v-1.1a1.5 1.5 0 0 1-1-1.4v-8a2 2 0 0 1 2-2Z",
  suspect: "M8 .5 15.5 8 8 15.5.5 8Z",
  flagged: "M5 .8h6L15.2 5v6L11 15.2H5L.8 11V5Z",
};
const INNER = {
  bus: "M4.5 4h7v3.5h-7zM4.5 10H6v1.4H4.5zM10 10h1.5v1.4H10z",
  suspect: "M7.1 3.8h1.8v5H7.1zM7.1 10.2h1.8V12H7.1z",
  flagged: "m5.6 4.4 6 6-1.2 1.2-6-6zm4.8 0 1.2 1.2-6 6-1.2-1.2z",
};

/** Creates an SVG icon with the shape of a map marker. */
export function markPicture(mark) {
  const namespace = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(namespace, "svg");
  setAttributes(picture, { viewBox: "0 0 16 16", class: "mark", "data-mark": mark, "aria-hidden": "true" });
  for (const [drawn, name] of [[MARKS[mark], "outer"], [INNER[mark], "inner"]]) {
    if (!drawn) continue;
    const path = picture.appendChild(document.createElementNS(namespace, "path"));
    setAttributes(path, { d: drawn, class: name });
  }
  return picture;
}
