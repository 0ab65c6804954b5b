import { element } from "./elements.js";
import { problemText } from "./words.js";

/** Shows a problem and its remedy in the panel. */
export function showProblem(content, code) {
  const { title, text } = problemText(code);
  content.replaceChildren(
    element("div", { class: "problem", "data-problem": code, role: "alert" },
      element("h1", {}, title), element("p", {}, text), element("code", {}, code)));
}
