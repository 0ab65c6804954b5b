import { element } from "./elements.js";
import { problemWords } from "./words.js";

/** Says in the panel what went wrong and what to do. */
export function showProblem(content, code) {
  const { title, text } = problemWords(code);
  content.replaceChildren(
    element("div", { class: "problem", "data-problem": code, role: "alert" },
      element("h1", {}, title), element("p", {}, text), element("code", {}, code)));
}
