#pragma once

#include "scalars.hpp"

namespace sl {

/// Reader of JSON in plain form: texts of printable ASCII without escapes, numbers of few digits.
///
/// Nearly every record has this form, which needs no tree or tokens. At the first deviation, functions return false or
/// SL_MALFORMED; simdjson then parses the record and decides whether it is valid. Both read the same values.
///
/// Reads up to 64 bytes beyond its position, so the text must be the parser's padded copy.
class cursor {
  public:
    /// Starts at the first of the `count` bytes of the parser's copy.
    cursor(sl_parser &parser, size_t count)
        : next(parser.buffer.get()), end(parser.buffer.get() + count), date(parser.date), followers(parser.followers) {}

    /// Starts inside the parser's copy, to read one value only.
    cursor(sl_parser &parser, const uint8_t *start)
        : next(start), end(nullptr), date(parser.date), followers(parser.followers) {}

    const uint8_t *position() const { return next; }

    bool is_at_end() const { return next == end; }

    /// Returns whether `literal` comes next, and skips it.
    template <size_t size>
    simdjson_inline bool skip(const char (&literal)[size]) {
        static_assert(size <= simdjson::SIMDJSON_PADDING);
        if (std::memcmp(next, literal, size - 1) != 0) { return false; }
        next += size - 1;
        return true;
    }

    /// Reads a text of printable ASCII without escapes.
    simdjson_inline bool value(sl_text &result) {
        if (*next != '"') { return false; }
        const uint8_t *start = next + 1;
        size_t count = printable_length(start);
        if (start[count] != '"') { return false; }
        result = {start, count};
        next = start + count + 1;
        return true;
    }

    simdjson_inline bool value(double &result) {
        const uint8_t *end = plain_number_end(next, result);
        if (end == nullptr) { return false; }
        next = end;
        return true;
    }

    /// Reads a whole number of up to 15 digits.
    bool value(int64_t &result) {
        const uint8_t *text = next;
        bool negative = *text == '-';
        text += negative;
        uint64_t word = load64(text);
        size_t count = digit_count(word);
        if (count == 0 || (*text == '0' && count > 1)) { return false; }
        int64_t number = int64_t(digits_value(word, count));
        text += count;
        if (count == 8) {
            constexpr int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
            word = load64(text);
            count = digit_count(word);
            if (count == 8) { return false; }
            if (count > 0) { number = number * powers[count] + int64_t(digits_value(word, count)); }
            text += count;
        }
        result = negative ? -number : number;
        next = text;
        return true;
    }

    /// Reads seconds as Swift writes them, without sign or exponent: at most 15 digits, or at most 11 digits before the
    /// point and 1 to 8 after it.
    bool seconds(double &result) {
        constexpr int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
        int64_t whole;
        if (*next == '-' || !value(whole)) { return false; }
        result = double(whole);
        if (simdjson_likely(*next != '.')) { return true; }
        uint64_t word = load64(next + 1);
        size_t decimals = digit_count(word);
        if (decimals == 0 || whole >= 100000000000) { return false; }
        auto digits = uint64_t(whole) * uint64_t(powers[decimals]) + digits_value(word, decimals);
        next += 1 + decimals;
        result = digits > uint64_t(1) << 53 ? nearest_quotient(digits, uint64_t(powers[decimals]))
                                            : double(int64_t(digits)) / double(powers[decimals]);
        return true;
    }

    simdjson_inline bool value(bool &result) {
        result = *next == 't';
        return result ? skip("true") : skip("false");
    }

    /// Reads `"YYYY-MM-DDThh:mm:ss.mmmZ"`. The date is parsed once for successive times of one day.
    bool time(int64_t &milliseconds) {
        const uint8_t *text = next + 1;
        int64_t of_day;
        if (*next != '"' || text[24] != '"' || !time_of_day(text + 10, of_day)) { return false; }
        uint64_t first = load64(text);
        uint16_t last;
        std::memcpy(&last, text + 8, 2);
        if (simdjson_unlikely(first != date.first || last != date.last)) {
            int64_t whole;
            if (!sl_parse_time(text, 24, &whole)) { return false; }
            date = {first, last, whole - of_day};
        }
        milliseconds = date.midnight_ms + of_day;
        next = text + 25;
        return true;
    }

    simdjson_inline bool null() { return skip("null"); }

    char peek() const { return char(*next); }

    simdjson_inline void skip_space() {
        while (simdjson_unlikely(is_space(char(*next)))) { next++; }
    }

    /// Skips white space; returns whether `expected` comes next, and skips it.
    simdjson_inline bool punctuation(char expected) {
        skip_space();
        if (*next != uint8_t(expected)) { return false; }
        next++;
        return true;
    }

    /// Reads a member's name, up to its value.
    simdjson_inline bool name(sl_key &key) {
        skip_space();
        known_name &expected = followers[last_key];
        if (simdjson_likely(
                load64(next) == expected.first && load64(next + expected.middle_start) == expected.middle
                && load64(next + expected.last_start) == expected.last)) {
            next += expected.count;
            last_key = expected.key;
        } else if (!look_up_name(expected)) {
            return false;
        }
        skip_space();
        key = last_key;
        return true;
    }

  private:
    const uint8_t *next, *end;
    known_date &date;
    known_name *followers;
    sl_key last_key = SL_KEY_COUNT;

    /// Reads a name that is not the expected one, looks it up and stores it in `expected`.
    bool look_up_name(known_name &expected);

    /// Returns the number of bytes before the first quote, backslash or byte that is not printable ASCII.
    static simdjson_inline size_t printable_length(const uint8_t *text) {
#ifdef __SSE2__
        const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
        const __m128i space = _mm_set1_epi8(' '), remove = _mm_set1_epi8(0x7F);
        for (size_t index = 0;; index += 16) {
            __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i *>(text + index));
            __m128i found = _mm_or_si128(_mm_cmpeq_epi8(word, quote), _mm_cmpeq_epi8(word, backslash));
            // Bytes from 0x80 on are negative here.
            found = _mm_or_si128(found, _mm_or_si128(_mm_cmplt_epi8(word, space), _mm_cmpeq_epi8(word, remove)));
            int mask = _mm_movemask_epi8(found);
            if (simdjson_likely(mask != 0)) { return index + size_t(__builtin_ctz(unsigned(mask))); }
        }
#else
        size_t index = 0;
        while (text[index] >= ' ' && text[index] < 0x7F && text[index] != '"' && text[index] != '\\') { index++; }
        return index;
#endif
    }

    /// Reads `Thh:mm:ss.mmmZ`; returns false for leap seconds, which simdjson's path reads.
    static simdjson_inline bool time_of_day(const uint8_t *text, int64_t &milliseconds) {
        if (text[0] != 'T' || text[9] != '.' || text[13] != 'Z') { return false; }
        // Digits become 0 to 9 and colons 0; then no byte may exceed 9, and the colons' bytes must be 0.
        uint64_t word = load64(text + 1) ^ 0x30303A30303A3030u;
        uint64_t invalid = word & 0x0000FF0000FF0000u;
        invalid |= ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
        unsigned hundreds = unsigned(text[10]) - '0', tens = unsigned(text[11]) - '0', ones = unsigned(text[12]) - '0';
        if (invalid != 0 || hundreds > 9 || tens > 9 || ones > 9) { return false; }
        auto pair = [word](int shift) { return int64_t(((word >> shift) & 15) * 10 + ((word >> (shift + 8)) & 15)); };
        int64_t hour = pair(0), minute = pair(24), second = pair(48);
        milliseconds = (hour * 3600 + minute * 60 + second) * 1000 + hundreds * 100 + tens * 10 + ones;
        return hour <= 23 && minute <= 59 && second <= 59;
    }
};

// Overloads of the functions that read simdjson's values. SL_MALFORMED means: not in plain form.

template <typename Result>
inline sl_status read(cursor &cursor, Result &result) {
    if (simdjson_likely(cursor.value(result))) { return SL_OK; }
    return cursor.null() ? SL_EMPTY : SL_MALFORMED;
}

inline char first_byte(cursor &cursor) { return cursor.peek(); }

// Plain text has no control characters.
inline bool has_control_characters(const cursor &, sl_text) { return false; }

inline sl_status read_time(cursor &cursor, int64_t &milliseconds) {
    if (simdjson_likely(cursor.time(milliseconds))) { return SL_OK; }
    if (cursor.peek() != '"') {
        double number;
        if (simdjson_likely(cursor.seconds(number))) { return time_of(number, milliseconds); }
        return cursor.null() ? SL_EMPTY : SL_MALFORMED;
    }
    sl_text text;
    sl_status status = read(cursor, text);
    return status == SL_OK ? time_of(text, milliseconds) : status;
}

template <typename Handler>
inline sl_status each_field(cursor &cursor, Handler handle) {
    if (simdjson_unlikely(!cursor.punctuation('{'))) { return cursor.null() ? SL_EMPTY : SL_MALFORMED; }
    if (cursor.punctuation('}')) { return SL_OK; }
    do {
        sl_key key;
        if (simdjson_unlikely(!cursor.name(key))) { return SL_MALFORMED; }
        sl_status status = handle(key, cursor);
        if (simdjson_unlikely(status != SL_OK)) { return status; }
    } while (cursor.punctuation(','));
    return cursor.punctuation('}') ? SL_OK : SL_MALFORMED;
}

template <typename Handler>
inline sl_status each_element(cursor &cursor, Handler handle) {
    if (!cursor.punctuation('[')) { return cursor.null() ? SL_EMPTY : SL_MALFORMED; }
    if (cursor.punctuation(']')) { return SL_OK; }
    do {
        cursor.skip_space();
        sl_status status = handle(cursor);
        if (simdjson_unlikely(status != SL_OK)) { return status; }
    } while (cursor.punctuation(','));
    return cursor.punctuation(']') ? SL_OK : SL_MALFORMED;
}

/// Reads the members of a whole record; returns SL_MALFORMED if it begins with white space, which simdjson reads.
template <typename Handler>
inline sl_status each_top_field(cursor cursor, Handler handle) {
    if (cursor.peek() != '{' || each_field(cursor, handle) != SL_OK) { return SL_MALFORMED; }
    cursor.skip_space();
    return cursor.is_at_end() ? SL_OK : SL_MALFORMED;
}

sl_status check(cursor &cursor, int depth);

}  // namespace sl
