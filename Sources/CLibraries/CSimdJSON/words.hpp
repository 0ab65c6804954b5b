#pragma once

#include "parser.hpp"

// Words sent by apps: iOS writes them in lower case, Android in upper case.

namespace sl {

inline uint8_t lower(uint8_t byte) { return uint8_t(byte - 'A') < 26 ? byte | 0x20 : byte; }

/// Returns whether `text` is `word` in any case; fastest for the case of `word`.
template <size_t size>
inline bool is_word(sl_text text, const char (&word)[size]) {
    constexpr size_t count = size - 1;
    if (text.count != count) { return false; }
    if (simdjson_likely(std::memcmp(text.start, word, count) == 0)) { return true; }
    for (size_t index = 0; index < count; index++) {
        if (lower(text.start[index]) != lower(uint8_t(word[index]))) { return false; }
    }
    return true;
}

/// Returns the SL_SOURCE_… of a word.
inline uint8_t source_of(sl_text text) {
    if (is_word(text, "gps")) { return SL_SOURCE_GPS; }
    if (is_word(text, "fused")) { return SL_SOURCE_FUSED; }
    if (is_word(text, "wifi")) { return SL_SOURCE_WIFI; }
    if (is_word(text, "cellular")) { return SL_SOURCE_CELLULAR; }
    return is_word(text, "cached") ? SL_SOURCE_CACHED : SL_SOURCE_UNKNOWN;
}

/// Returns the SL_INTEGRITY_… of a word.
inline uint8_t integrity_of(sl_text text) {
    if (is_word(text, "PASSED")) { return SL_INTEGRITY_PASSED; }
    return is_word(text, "FAILED") ? SL_INTEGRITY_FAILED : SL_INTEGRITY_UNKNOWN;
}

/// Returns the fault of a message type other than the location types.
inline sl_status status_of_type(sl_text type) {
    if (is_word(type, "trip_status")) { return SL_WRONG_TOPIC; }
    bool is_socket_message = is_word(type, "ping") || is_word(type, "pong") || is_word(type, "subscribe")
                        || is_word(type, "unsubscribe") || is_word(type, "reconnect")
                        || is_word(type, "driver_location") || is_word(type, "trip_update")
                        || is_word(type, "eta_update") || is_word(type, "notification")
                        || is_word(type, "error");
    return is_socket_message ? SL_SOCKET_MESSAGE : SL_UNKNOWN_TYPE;
}

}  // namespace sl
