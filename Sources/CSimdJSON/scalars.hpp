#pragma once

#include "keys.hpp"

namespace sl {

/// Checks a value that nobody reads, down to its leaves, so that a record is valid JSON throughout or refused.
sl_status check(ondemand::value &value, int depth);

/// What to say of a value that was expected to be of another kind: SL_EMPTY for null, SL_MALFORMED when it is not
/// JSON, SL_NOT_FINITE for numbers beyond a double and the NaN and Infinity that some encoders write, else
/// SL_WRONG_TYPE.
sl_status misfit(ondemand::value &value, int depth);

/// Whether `text` is a number by the grammar of JSON, of any size.
bool is_number(std::string_view text);

/// Whether there is a character below a space in `text`, or a delete.
bool has_control_characters(sl_text text);

/// SL_OK, SL_EMPTY for null, or what is wrong.
inline sl_status read(ondemand::value &value, double &result) {
    return simdjson_likely(value.get_double().get(result) == simdjson::SUCCESS) ? SL_OK : misfit(value, 0);
}

inline sl_status read(ondemand::value &value, bool &result) {
    return simdjson_likely(value.get_bool().get(result) == simdjson::SUCCESS) ? SL_OK : misfit(value, 0);
}

/// Whole numbers, in any notation: 12, 12.0, 1.2e1.
inline sl_status read(ondemand::value &value, int64_t &result) {
    if (simdjson_likely(value.get_int64().get(result) == simdjson::SUCCESS)) { return SL_OK; }
    double number;
    sl_status status = read(value, number);
    if (status != SL_OK) { return status; }
    if (!(number >= -9.2e18 && number <= 9.2e18)) { return SL_OUT_OF_RANGE; }
    result = int64_t(number);
    return double(result) == number ? SL_OK : SL_WRONG_TYPE;
}

/// Text, in place where it has no escapes, else unescaped into the parser's memory.
inline sl_status read(ondemand::value &value, sl_text &result) {
    ondemand::raw_json_string raw;
    if (simdjson_unlikely(value.get_raw_json_string().get(raw) != simdjson::SUCCESS)) { return misfit(value, 0); }
    const auto *text = reinterpret_cast<const uint8_t *>(raw.raw());
    size_t count = plain_length(text);
    if (simdjson_likely(text[count] == '"')) {
        result = {text, count};
        return SL_OK;
    }
    std::string_view unescaped;
    if (value.get_string().get(unescaped) != simdjson::SUCCESS) { return SL_MALFORMED; }
    if (std::memchr(unescaped.data(), 0, unescaped.size()) != nullptr) { return SL_MALFORMED; }
    result = {reinterpret_cast<const uint8_t *>(unescaped.data()), unescaped.size()};
    return SL_OK;
}

/// A time: ISO 8601 text, or a number of milliseconds since the Unix epoch.
sl_status read_time(ondemand::value &value, int64_t &milliseconds);

inline bool equals(sl_text text, const char *other) {
    return text.count == std::strlen(other) && std::memcmp(text.start, other, text.count) == 0;
}

/// Calls `handle(key, value)` for every field; stops at what it returns if that is not SL_OK.
template <typename Handler>
inline sl_status each_field(ondemand::object object, Handler handle) {
    for (auto item : object) {
        if (simdjson_unlikely(item.error() != simdjson::SUCCESS)) { return SL_MALFORMED; }
        // By reference all the way: copies of these small structs are written in pieces and read whole, which stalls.
        ondemand::field &field = item.value_unsafe();
        sl_key key = key_of(field);
        if (simdjson_unlikely(key == SL_KEY_COUNT)) { return SL_MALFORMED; }
        sl_status status = handle(key, field.value());
        if (simdjson_unlikely(status != SL_OK)) { return status; }
    }
    return SL_OK;
}

/// Calls `handle(element)` for every element; stops at what it returns if that is not SL_OK.
template <typename Handler>
inline sl_status each_element(ondemand::array array, Handler handle) {
    for (auto item : array) {
        if (simdjson_unlikely(item.error() != simdjson::SUCCESS)) { return SL_MALFORMED; }
        sl_status status = handle(item.value_unsafe());
        if (simdjson_unlikely(status != SL_OK)) { return status; }
    }
    return SL_OK;
}

/// Opens the top-level object, reads it with `handle` and makes sure that nothing follows it.
template <typename Handler>
inline sl_status each_top_field(sl_parser *parser, const uint8_t *json, size_t count, Handler handle) {
    ondemand::document document;
    sl_status status = parser->load(json, count, document);
    if (status != SL_OK) { return status; }
    ondemand::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS) { return SL_MALFORMED; }
    status = each_field(object, handle);
    if (status != SL_OK) { return status; }
    // Out of bounds is where the document must be by now: behind its last token.
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS ? SL_OK : SL_MALFORMED;
}

}  // namespace sl
