#pragma once

#include "cursor.hpp"

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

/// Reads records as our own writers write them: members in their order, without white space. Names then need no
/// look-up.
class written_reader : public cursor {
  public:
    using cursor::cursor;
    using cursor::number;

    /// Text of 1 to 128 bytes.
    simdjson_inline bool name(sl_text &result) { return text(result) && result.count - 1 < maximum_name; }

    /// Text of 1 to 128 letters, digits and `_-.:`.
    bool identifier(sl_text &result) {
        if (!name(result)) { return false; }
        bool allowed = true;
        for (size_t index = 0; index < result.count; index++) {
            allowed &= in_identifiers.allowed[result.start[index]];
        }
        return allowed;
    }

    simdjson_inline bool number(double &result, double limit) {
        return number(result) && result >= -limit && result <= limit;
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
};

}  // namespace sl
