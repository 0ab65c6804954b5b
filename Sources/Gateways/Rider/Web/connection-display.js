import { element, setAttributes, setText } from "./elements.js";
import { CONNECTION } from "./words.js";

/** Failed attempts before the page shows "offline" instead of "reconnecting". */
const FAILURES_BEFORE_OFFLINE = 3;

/** Shows the connection status, and a notice with a retry button while offline. */
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
    this.#renderNotice(shown);
  }

  get #shown() {
    const { status, failures = 0 } = this.#status;
    if (status === "live" || status === "closed" || status === "polling") return status;
    return !navigator.onLine || failures >= FAILURES_BEFORE_OFFLINE ? "offline" : status;
  }

  #renderNotice(shown) {
    const text = shown !== "offline" ? null : navigator.onLine
      ? "The gateway does not respond. The page keeps trying; the data shown may be outdated."
      : "This device is offline. The page reconnects automatically.";
    if (text === null) {
      this.#notice.hidden = true;
      return;
    }
    if (!this.#notice.hidden && this.#notice.dataset.text === text) return;
    this.#notice.dataset.text = text;
    this.#notice.hidden = false;
    this.#notice.replaceChildren(
      element("span", {}, text),
      element("button", { class: "action", type: "button", click: this.#retry }, "Retry now"));
  }
}
