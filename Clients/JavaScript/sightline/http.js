import { SightlineError } from "./errors.js";

/**
 * Fetches a JSON document from the gateway.
 * Throws a `SightlineError`: for an error response with its code, status and retry delay; with `UNREACHABLE` if the
 * request failed or was aborted, or if the response is not JSON.
 */
export async function getJSON(fetch, url, { token = null, signal } = {}) {
  let response;
  try {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    response = await fetch(url, { headers, signal, cache: "no-store" });
    if (response.ok) return await response.json();
  } catch {
    throw new SightlineError("UNREACHABLE", "No valid response from the gateway.");
  }
  const { error = {} } = await response.json().catch(() => ({}));
  const seconds = Number.parseFloat(response.headers?.get("retry-after"));
  throw new SightlineError(
    error.code ?? `HTTP_${response.status}`, error.message ?? `The gateway responded with ${response.status}.`,
    {
      status: response.status,
      retryAfterMs: error.retry_after_ms ?? (Number.isFinite(seconds) ? seconds * 1000 : null),
    });
}
