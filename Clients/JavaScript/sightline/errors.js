/** Error of the gateway or of the connection. `code` is stable; `message` is text for developers and may change. */
export class SightlineError extends Error {
  constructor(code, message, { channel = null, retryAfterMs = null, status = null } = {}) {
    super(message ?? code);
    this.name = "SightlineError";
    this.code = code;
    this.channel = channel;
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}

const TOKEN_CODES = new Set(["TOKEN_MISSING", "TOKEN_INVALID", "TOKEN_EXPIRED"]);

/** Returns whether a code means that the token was rejected. */
export const isTokenCode = (code) => TOKEN_CODES.has(code);
