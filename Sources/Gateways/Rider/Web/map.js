/** Entry point of the live map: reads the link, connects, and shows a trip, a route or the fleet. */
import { SightlineClient } from "/clients/sightline.js";
import { makeConnectionDisplay } from "./connection-display.js";
import { element, setText } from "./elements.js";
import { FleetView } from "./view-fleet.js";
import { StreetsLayer } from "./layer-streets.js";
import { TilesLayer } from "./layer-tiles.js";
import { MapCanvas } from "./map-canvas.js";
import { RouteView } from "./view-route.js";
import { makeSheet } from "./sheet.js";
import { makeTheme } from "./theme.js";
import { TripView } from "./view-trip.js";
import { problemText } from "./words.js";

const TOAST_MS = 6000;
const find = (id) => document.getElementById(id);
/** `/map#token=…`, optionally with `&trip=ID` or `&route=ID`. Browsers do not send fragments, so no log has them. */
const link = new URLSearchParams(location.hash.slice(1));

const content = find("content");
makeSheet(find("panel"), find("handle"));
const map = new MapCanvas(find("map"), find("panel"));
makeTheme(document.querySelector("[data-action=theme]"), () => map.repaint());
addControls();
addEventListener("hashchange", () => location.reload());
showBase();
let token = link.get("token") ?? (await openToken());
if (token) start();
else fail("TOKEN_MISSING");

/** Fetches a token from a gateway with open map access, as in the demo; `null` without open access. */
async function openToken() {
  const response = await fetch("/map/token").catch(() => null);
  return response?.ok ? (await response.json()).token : null;
}

/** Fetches a token and stores it for the page's later requests; returns `null` without open access. */
async function renewToken() {
  const renewed = await openToken();
  token = renewed ?? token;
  return renewed;
}

/** Returns a link to the rider's view of a trip, with the token of this link. */
function tripLink(trip) {
  const fragment = new URLSearchParams(link.has("token") ? { token } : {});
  fragment.set("trip", trip);
  return `#${fragment}`;
}

function start() {
  const showStatus = makeConnectionDisplay(find("connection"), find("notice"), () => client.retryNow());
  const client = new SightlineClient({
    token,
    ...(link.has("token") ? {} : { getToken: renewToken }),
    onStatus: (status) => {
      showStatus(status);
      find("page").dataset.connection = status.status;
      if (status.status === "closed") fail(status.reason);
    },
    onError: ({ code, message, retryAfterMs }) => {
      console.warn(`Sightline: ${code}: ${message}`);
      if (retryAfterMs !== null) toast("The gateway is temporarily unavailable. The page retries automatically.");
    },
  });
  content.replaceChildren(element("p", { class: "plain" }, "Connecting to the gateway …"));
  const context = { map, client, content, currentToken: () => token, tripLink, toast, fail };
  const View = link.has("trip") ? TripView : link.has("route") ? RouteView : FleetView;
  try {
    new View(context, link.get("trip") ?? link.get("route"));
  } catch (error) {
    if (!error.code) throw error;
    fail(error.code);
  }
}

function fail(code) {
  const { title, text } = problemText(code);
  content.replaceChildren(
    element("div", { class: "problem", "data-problem": code, role: "alert" },
      element("h1", {}, title), element("p", {}, text), element("code", {}, code)));
  find("page").dataset.problem = code;
  if (!token) find("connection").hidden = true;
}

async function showBase() {
  const json = (path) => fetch(path).then((response) => (response.ok ? response.json() : {})).catch(() => ({}));
  const { tileUrl, tileAttribution } = await json("/config");
  if (tileUrl) {
    map.baseLayers = [new TilesLayer(tileUrl, () => map.invalidateBase())];
    find("attribution").hidden = !tileAttribution;
    setText(find("attribution"), tileAttribution ?? "");
  } else {
    const streets = new StreetsLayer(await json("/map/streets.json"));
    map.baseLayers = [streets];
    const target = map.camera.targetFor(streets.extent);
    if (target && !find("page").dataset.fitted) map.camera.flyTo(target, 0, { durationMs: 0 });
  }
  map.invalidateBase();
}

function addControls() {
  const zoom = (steps) => {
    map.isMovedByUser = true;
    map.camera.animateZoomBy(steps, performance.now());
  };
  const actions = { "zoom-in": () => zoom(1), "zoom-out": () => zoom(-1), fit: () => map.fit() };
  for (const [name, action] of Object.entries(actions)) {
    document.querySelector(`[data-action=${name}]`).addEventListener("click", action);
  }
  map.onFrame = () => showScale();
}

function showScale() {
  const { pixelsPerMeter } = map.camera;
  const longest = 90 / pixelsPerMeter;
  const power = 10 ** Math.floor(Math.log10(longest));
  const meters = [5, 2, 1].map((step) => step * power).find((candidate) => candidate <= longest);
  const width = `${Math.round(meters * pixelsPerMeter)}px`;
  const scale = find("scale");
  if (scale.style.width === width) return;
  scale.style.width = width;
  setText(scale.firstElementChild, meters < 1000 ? `${meters} m` : `${meters / 1000} km`);
}

let toastTimer;

function toast(text) {
  const shown = find("toast");
  setText(shown, text);
  shown.dataset.shown = "";
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { delete shown.dataset.shown; }, TOAST_MS);
}
