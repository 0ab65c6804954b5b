#pragma once

#include "keys.hpp"

namespace sl {

/// Validates a value that is not read, including all values inside it.
sl_status check(ondemand::value &value, int depth);

/// Returns the status of a value of an unexpected type: SL_EMPTY for null, SL_MALFORMED if it is not JSON,
/// SL_NOT_FINITE for numbers beyond a double and for the NaN and Infinity that some encoders write, else SL_WRONG_TYPE.
sl_status mismatch(ondemand::value &value, int depth);

/// Returns whether `text` is a number in JSON's grammar, of any size.
bool is_number(std::string_view text);

inline bool is_space(char character) {
    return character <= ' ' && (character == ' ' || character == '\t' || character == '\n' || character == '\r');
}

/// Reads a finite number; returns false for everything else.
bool read_any_number(ondemand::value &value, double &result);

/// Returns whether `text` contains control characters. The value only selects the overload.
bool has_control_characters(const ondemand::value &, sl_text text);

/// Returns the number of digits at the start of eight bytes; the first byte is the lowest.
inline size_t digit_count(uint64_t word) {
    uint64_t others = ((word + 0x4646464646464646u) | (word - 0x3030303030303030u)) & 0x8080808080808080u;
    return others == 0 ? 8 : size_t(__builtin_ctzll(others)) / 8;
}

/// Converts the lowest `count` bytes, 1 to 8 digits, in parallel: by pairs, fours and eights.
inline uint64_t digits_value(uint64_t word, size_t count) {
    word = (word - 0x3030303030303030u) << (64 - 8 * count);
    word = word * 10 + (word >> 8);
    constexpr uint64_t mask = 0x000000FF000000FFu;
    return (((word & mask) * 0x000F424000000064u) + (((word >> 16) & mask) * 0x0000271000000001u)) >> 32;
}

/// Returns the double nearest to `dividend / divisor`, ties to even; neither may be 0.
double nearest_quotient(uint64_t dividend, uint64_t divisor);

/// Reads a number like -122.4183: up to 7 digits before the point and up to 16 after it, up to 19 in total, without
/// exponent. If the digits and the power of ten are both exact doubles, one division gives the nearest double (Clinger,
/// "How to Read Floating Point Numbers Accurately", 1990). Reads up to 64 bytes.
///
/// Returns the end of the number; null for any other form.
inline const uint8_t *plain_number_end(const uint8_t *text, double &result) {
    constexpr uint64_t powers[] = {
        1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
        1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000};
    bool negative = *text == '-';
    text += negative;
    uint64_t word = load64(text);
    size_t whole = digit_count(word);
    if (whole - 1 > 6 || (*text == '0' && whole > 1)) { return nullptr; }
    uint64_t value = digits_value(word, whole);
    size_t decimals = 0;
    text += whole;
    if (*text == '.') {
        word = load64(++text);
        decimals = digit_count(word);
        if (decimals == 0) { return nullptr; }
        value = value * powers[decimals] + digits_value(word, decimals);
        text += decimals;
        if (decimals == 8) {
            word = load64(text);
            size_t more = digit_count(word);
            // More than 19 digits may not fit 64 bits.
            if (whole + decimals + more > 19) { return nullptr; }
            if (more > 0) { value = value * powers[more] + digits_value(word, more); }
            decimals += more;
            text += more;
        }
    }
    // simdjson reads numbers that continue here, with an exponent or more digits.
    if (*text != ',' && *text != '}' && *text != ']' && *text != ' ' && *text != '\n' && *text != '\r'
        && *text != '\t') {
        return nullptr;
    }
    if (simdjson_unlikely(value > uint64_t(1) << 53)) {
        result = nearest_quotient(value, powers[decimals]);
        if (negative) { result = -result; }
    } else {
        result = double(negative ? -int64_t(value) : int64_t(value)) / double(int64_t(powers[decimals]));
    }
    return text;
}

/// Reads a number. All overloads of `read` return SL_OK, SL_EMPTY for null, or the fault.
inline sl_status read(ondemand::value &value, double &result) {
    // Does not consume the value: simdjson skips it when the iteration continues.
    const auto *text = reinterpret_cast<const uint8_t *>(value.raw_json_token().data());
    if (simdjson_likely(plain_number_end(text, result) != nullptr)) { return SL_OK; }
    return simdjson_likely(read_any_number(value, result)) ? SL_OK : mismatch(value, 0);
}

inline sl_status read(ondemand::value &value, bool &result) {
    return simdjson_likely(value.get_bool().get(result) == simdjson::SUCCESS) ? SL_OK : mismatch(value, 0);
}

/// Reads whole numbers in any notation: 12, 12.0, 1.2e1.
inline sl_status read(ondemand::value &value, int64_t &result) {
    if (simdjson_likely(value.get_int64().get(result) == simdjson::SUCCESS)) { return SL_OK; }
    double number;
    sl_status status = read(value, number);
    if (status != SL_OK) { return status; }
    if (!(number >= -9.2e18 && number <= 9.2e18)) { return SL_OUT_OF_RANGE; }
    result = int64_t(number);
    return double(result) == number ? SL_OK : SL_WRONG_TYPE;
}

/// Reads text: in place if it has no escapes, else unescaped into the parser's memory.
inline sl_status read(ondemand::value &value, sl_text &result) {
    ondemand::raw_json_string raw;
    if (simdjson_unlikely(value.get_raw_json_string().get(raw) != simdjson::SUCCESS)) { return mismatch(value, 0); }
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

/// Reads a time: ISO 8601 text, or a number as in `sl_time_of_number`.
sl_status read_time(ondemand::value &value, int64_t &milliseconds);

sl_status time_of(sl_text text, int64_t &milliseconds);
sl_status time_of(double number, int64_t &milliseconds);

/// Returns the first byte of a value.
inline char first_byte(ondemand::value &value) {
    std::string_view token = value.raw_json_token();
    return token.empty() ? 0 : token.front();
}

/// Calls `handle(key, value)` for every field until it returns a status other than SL_OK.
template <typename Handler>
inline sl_status each_field(ondemand::object object, Handler handle) {
    for (auto item : object) {
        if (simdjson_unlikely(item.error() != simdjson::SUCCESS)) { return SL_MALFORMED; }
        // By reference: copies of these small structs are written in pieces and read whole, which stalls the CPU.
        ondemand::field &field = item.value_unsafe();
        sl_key key = key_of(field);
        if (simdjson_unlikely(key == SL_KEY_COUNT)) { return SL_MALFORMED; }
        sl_status status = handle(key, field.value());
        if (simdjson_unlikely(status != SL_OK)) { return status; }
    }
    return SL_OK;
}

/// Calls `handle` for every field of a value; returns `mismatch` if the value is not an object.
template <typename Handler>
inline sl_status each_field(ondemand::value &value, Handler handle) {
    ondemand::object object;
    if (simdjson_unlikely(value.get_object().get(object) != simdjson::SUCCESS)) { return mismatch(value, 0); }
    return each_field(object, handle);
}

/// Calls `handle(element)` for every element until it returns a status other than SL_OK.
template <typename Handler>
inline sl_status each_element(ondemand::array array, Handler handle) {
    for (auto item : array) {
        if (simdjson_unlikely(item.error() != simdjson::SUCCESS)) { return SL_MALFORMED; }
        sl_status status = handle(item.value_unsafe());
        if (simdjson_unlikely(status != SL_OK)) { return status; }
    }
    return SL_OK;
}

/// Calls `handle` for every element of a value; returns `mismatch` if the value is not an array.
template <typename Handler>
inline sl_status each_element(ondemand::value &value, Handler handle) {
    ondemand::array array;
    if (simdjson_unlikely(value.get_array().get(array) != simdjson::SUCCESS)) { return mismatch(value, 0); }
    return each_element(array, handle);
}

/// Reads the top-level object with `handle` and checks that nothing follows it.
template <typename Handler>
inline sl_status each_top_field(sl_parser *parser, const uint8_t *json, size_t count, Handler handle) {
    ondemand::document document;
    sl_status status = parser->load(json, count, document);
    if (status != SL_OK) { return status; }
    ondemand::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS) { return SL_MALFORMED; }
    status = each_field(object, handle);
    if (status != SL_OK) { return status; }
    // Nothing but white space may follow the object.
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS ? SL_OK : SL_MALFORMED;
}

}  // namespace sl
