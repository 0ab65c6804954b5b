#pragma once

#include "scalars.hpp"

namespace sl {

/// Which bytes may stand in identifiers: letters, digits and `_-.:`.
struct identifier_bytes {
    bool allowed[256] = {};

    constexpr identifier_bytes() {
        for (int byte = 0; byte < 256; byte++) {
            allowed[byte] = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9')
                || byte == '_' || byte == '-' || byte == '.' || byte == ':';
        }
    }
};

inline constexpr identifier_bytes in_identifiers;

/// Reads records as our own writers write them: members in their order, no white space, texts of printable ASCII
/// without escapes, numbers of few digits.
///
/// Nearly every record that is passed from worker to worker is like that, and needs no tree and no look-up of names.
/// The first thing that is otherwise ends the reading with false, which says nothing about the record: it is then for
/// the general reader, which alone decides what is valid. Whatever is read here is what the general reader reads.
///
/// Reads up to 64 bytes beyond where it stands, so the text must be the parser's padded copy.
class written_reader {
  public:
    explicit written_reader(const sl_parser &parser) : next(parser.buffer.get()) {}

    /// Moves on past `literal`, if it comes next.
    template <size_t size>
    simdjson_inline bool skip(const char (&literal)[size]) {
        static_assert(size <= simdjson::SIMDJSON_PADDING);
        if (std::memcmp(next, literal, size - 1) != 0) { return false; }
        next += size - 1;
        return true;
    }

    /// Whether `count` bytes from the beginning of the parser's copy have been read.
    bool is_at(const sl_parser &parser, size_t count) const { return next == parser.buffer.get() + count; }

    /// Any text that stands there unescaped, printable ASCII throughout.
    simdjson_inline bool text(sl_text &result) {
        if (*next != '"') { return false; }
        const uint8_t *start = next + 1;
        size_t count = printable_length(start);
        if (start[count] != '"') { return false; }
        result = {start, count};
        next = start + count + 1;
        return true;
    }

    /// Text of 1 to 128 bytes.
    simdjson_inline bool name(sl_text &result) { return text(result) && result.count - 1 < maximum_name; }

    /// Text of 1 to 128 letters, digits and `_-.:`.
    bool identifier(sl_text &result) {
        if (!name(result)) { return false; }
        bool allowed = true;
        for (size_t index = 0; index < result.count; index++) { allowed &= in_identifiers.allowed[result.start[index]]; }
        return allowed;
    }

    simdjson_inline bool number(double &result) {
        const uint8_t *end = plain_number_end(next, result);
        if (end == nullptr) { return false; }
        next = end;
        return true;
    }

    simdjson_inline bool number(double &result, double limit) {
        return number(result) && result >= -limit && result <= limit;
    }

    /// A whole number of at most 15 digits.
    bool integer(int64_t &result) {
        const uint8_t *text = next;
        bool negative = *text == '-';
        text += negative;
        uint64_t word = load64(text);
        size_t count = digit_count(word);
        if (count == 0 || (*text == '0' && count > 1)) { return false; }
        int64_t value = int64_t(digits_value(word, count));
        text += count;
        if (count == 8) {
            constexpr int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
            word = load64(text);
            count = digit_count(word);
            if (count == 8) { return false; }
            if (count > 0) { value = value * powers[count] + int64_t(digits_value(word, count)); }
            text += count;
        }
        result = negative ? -value : value;
        next = text;
        return true;
    }

    simdjson_inline bool boolean(bool &result) {
        result = *next == 't';
        return result ? skip("true") : skip("false");
    }

    /// `"YYYY-MM-DDThh:mm:ss.mmmZ"`. Most times of a record are of one day, which is counted once.
    bool time(int64_t &milliseconds) {
        const uint8_t *text = next + 1;
        int64_t of_day;
        if (*next != '"' || text[24] != '"' || !time_of_day(text + 10, of_day)) { return false; }
        uint64_t first = load64(text);
        uint16_t last;
        std::memcpy(&last, text + 8, 2);
        if (first != date_first || last != date_last) {
            int64_t whole;
            if (!sl_parse_time(text, 24, &whole)) { return false; }
            date_first = first;
            date_last = last;
            midnight = whole - of_day;
        }
        milliseconds = midnight + of_day;
        next = text + 25;
        return true;
    }

    // Members that may be missing, by their names with quotes, colon and comma: sets `bit` when there is one.

    template <size_t size>
    simdjson_inline bool number_if(const char (&name)[size], uint32_t &present, uint32_t bit, double &result) {
        if (!skip(name)) { return true; }
        present |= bit;
        return number(result);
    }

    template <size_t size>
    simdjson_inline bool integer_if(const char (&name)[size], uint32_t &present, uint32_t bit, int64_t &result) {
        if (!skip(name)) { return true; }
        present |= bit;
        return integer(result);
    }

    template <size_t size>
    simdjson_inline bool time_if(const char (&name)[size], uint32_t &present, uint32_t bit, int64_t &result) {
        if (!skip(name)) { return true; }
        present |= bit;
        return time(result);
    }

    template <size_t size>
    simdjson_inline bool text_if(const char (&member)[size], sl_text &result) { return !skip(member) || text(result); }

    template <size_t size>
    simdjson_inline bool name_if(const char (&member)[size], sl_text &result) { return !skip(member) || name(result); }

  private:
    static constexpr size_t maximum_name = 128;

    const uint8_t *next;
    /// The date read last, as it is spelled, and when it began.
    uint64_t date_first = 0x2D31302D30373931;  // "1970-01-"
    uint16_t date_last = 0x3130;               // "01"
    int64_t midnight = 0;

    /// How many bytes come before the first quote, backslash or byte that is not printable ASCII.
    static simdjson_inline size_t printable_length(const uint8_t *text) {
#ifdef __SSE2__
        const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
        const __m128i space = _mm_set1_epi8(' '), remove = _mm_set1_epi8(0x7F);
        for (size_t index = 0;; index += 16) {
            __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i *>(text + index));
            __m128i found = _mm_or_si128(_mm_cmpeq_epi8(word, quote), _mm_cmpeq_epi8(word, backslash));
            // Bytes from 0x80 on are negative here.
            found = _mm_or_si128(found, _mm_or_si128(_mm_cmplt_epi8(word, space), _mm_cmpeq_epi8(word, remove)));
            int places = _mm_movemask_epi8(found);
            if (simdjson_likely(places != 0)) { return index + size_t(__builtin_ctz(unsigned(places))); }
        }
#else
        size_t index = 0;
        while (text[index] >= ' ' && text[index] < 0x7F && text[index] != '"' && text[index] != '\\') { index++; }
        return index;
#endif
    }

    /// The milliseconds of `Thh:mm:ss.mmmZ`; leap seconds are for the general reader.
    static simdjson_inline bool time_of_day(const uint8_t *text, int64_t &milliseconds) {
        if (text[0] != 'T' || text[9] != '.' || text[13] != 'Z') { return false; }
        // Digits become 0 to 9 and colons 0; then no byte may be above 9, nor any be left where the colons stood.
        uint64_t word = load64(text + 1) ^ 0x30303A30303A3030u;
        uint64_t rest = word & 0x0000FF0000FF0000u;
        rest |= ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
        unsigned hundreds = unsigned(text[10]) - '0', tens = unsigned(text[11]) - '0', ones = unsigned(text[12]) - '0';
        if (rest != 0 || hundreds > 9 || tens > 9 || ones > 9) { return false; }
        auto pair = [word](int shift) { return int64_t(((word >> shift) & 15) * 10 + ((word >> (shift + 8)) & 15)); };
        int64_t hour = pair(0), minute = pair(24), second = pair(48);
        milliseconds = (hour * 3600 + minute * 60 + second) * 1000 + hundreds * 100 + tens * 10 + ones;
        return hour <= 23 && minute <= 59 && second <= 59;
    }
};

}  // namespace sl
