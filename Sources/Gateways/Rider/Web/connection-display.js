import { element, setAttributes, setText } from "./elements.js";
import { CONNECTION } from "./words.js";

/** Attempts that fail before the page says more than "reconnecting". */
const FAILURES_TO_TELL = 3;

/** The state of the connection in a word, and in a notice what can be done about it. */
export class ConnectionDisplay {
  #pill;
  #notice;
  #retry;
  #status = { status: "connecting" };

  constructor(pill, notice, retry) {
    this.#pill = pill;
    this.#notice = notice;
    this.#retry = retry;
    addEventListener("offline", () => this.show(this.#status));
    addEventListener("online", () => {
      this.show(this.#status);
      retry();
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#status.status !== "live") retry();
    });
  }

  show(status) {
    this.#status = status;
    const shown = this.#shown;
    setAttributes(this.#pill, { "data-status": shown });
    setText(this.#pill.querySelector("b"), CONNECTION[shown]);
    this.#tell(shown);
  }

  get #shown() {
    const { status, failures = 0 } = this.#status;
    if (status === "live" || status === "closed" || status === "polling") return status;
    return !navigator.onLine || failures >= FAILURES_TO_TELL ? "offline" : status;
  }

  #tell(shown) {
    const text = shown !== "offline" ? null : navigator.onLine
      ? "The gateway does not answer. The page keeps trying; what you see is from before."
      : "This device has no network. The page goes on by itself when it is back.";
    if (text === null) {
      this.#notice.hidden = true;
      return;
    }
    if (!this.#notice.hidden && this.#notice.dataset.text === text) return;
    this.#notice.dataset.text = text;
    this.#notice.hidden = false;
    this.#notice.replaceChildren(
      element("span", {}, text),
      element("button", { class: "action", type: "button", click: this.#retry }, "Try now"));
  }
}
