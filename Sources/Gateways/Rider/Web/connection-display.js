import { element, setAttributes, setText } from "./elements.js";
import { CONNECTION } from "./words.js";

/** Failed attempts before the page shows "offline" instead of "reconnecting". */
const FAILURES_BEFORE_OFFLINE = 3;

/** Returns a function that shows the connection status, and a notice with a retry button while offline. */
export function makeConnectionDisplay(pill, notice, retry) {
  let current = { status: "connecting" };
  const show = (status) => {
    current = status;
    const shown = shownStatus(status);
    setAttributes(pill, { "data-status": shown });
    setText(pill.querySelector("b"), CONNECTION[shown]);
    const wasHidden = notice.hidden;
    notice.hidden = shown !== "offline";
    const text = navigator.onLine
      ? "The gateway does not respond. The page keeps trying; the data shown may be outdated."
      : "This device is offline. The page reconnects automatically.";
    if (notice.hidden || (!wasHidden && notice.dataset.text === text)) return;
    notice.dataset.text = text;
    notice.replaceChildren(
      element("span", {}, text), element("button", { class: "action", type: "button", click: retry }, "Retry now"));
  };
  addEventListener("offline", () => show(current));
  addEventListener("online", () => {
    show(current);
    retry();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && current.status !== "live") retry();
  });
  return show;
}

function shownStatus({ status, failures = 0 }) {
  if (status === "live" || status === "closed" || status === "polling") return status;
  return !navigator.onLine || failures >= FAILURES_BEFORE_OFFLINE ? "offline" : status;
}
