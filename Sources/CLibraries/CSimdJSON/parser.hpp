#pragma once

// The same behaviour in debug and release builds: the checks are for wrong use of the iterators, not for wrong input.
#define SIMDJSON_DEVELOPMENT_CHECKS 0
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <cstring>
#include <memory>
#include <vector>

#include "include/CSimdJSON.h"

namespace sl {
namespace ondemand = simdjson::ondemand;

/// A date as it is spelled, and when it began.
struct known_date {
    uint64_t first = 0x2D31302D30373931;  // "1970-01-"
    uint16_t last = 0x3130;               // "01"
    int64_t midnight_ms = 0;
};

/// A member's name from its quote to the colon, at most 24 bytes: its words, which may overlap, and where they begin.
/// Those of a very short name reach into the value: then nothing but the same beginning of a value is recognised.
struct known_name {
    uint64_t first = 0, middle = 0, last = 0;  // no name has a zero
    uint32_t middle_start = 0, last_start = 0;
    uint32_t count = 0;
    sl_key key = SL_KEY_UNKNOWN;
};

}  // namespace sl

/// simdjson's parser and the padded copy of the record that it reads.
///
/// The library may read 64 bytes beyond the text, which a broker's buffer does not promise: hence the copy (about
/// 10 ns for a usual record). The padding is zero, which On Demand relies on to notice an unbalanced document.
struct sl_parser {
    simdjson::ondemand::parser parser;
    std::unique_ptr<uint8_t[]> buffer;
    size_t capacity = 0;
    size_t small_records = 0;
    /// The date read last: most records are of one day, which is counted once.
    sl::known_date date;
    /// By key: the name that followed it last; at the end the one that came first. Devices write their members in the
    /// same order every time.
    sl::known_name followers[SL_KEY_COUNT + 1];
    sl_fix single;
    std::vector<sl_fix> fixes;
    std::vector<sl_value> values;
    std::unique_ptr<uint8_t[]> minified;
    size_t minified_capacity = 0;

    /// Copies the text, with zeros behind it.
    sl_status copy(const uint8_t *json, size_t count);

    /// Copies the text and runs stage 1 over it; the document then starts at the first token.
    sl_status load(const uint8_t *json, size_t count, simdjson::ondemand::document &document);

  private:
    bool reserve(size_t count);
};

namespace sl {

/// How deep values may be nested.
constexpr int maximum_depth = 64;

inline sl_status status_of(simdjson::error_code error) {
    switch (error) {
        case simdjson::SUCCESS: return SL_OK;
        case simdjson::EMPTY: return SL_EMPTY;
        case simdjson::UTF8_ERROR: return SL_INVALID_UTF8;
        case simdjson::MEMALLOC:
        case simdjson::CAPACITY: return SL_NO_MEMORY;
        default: return SL_MALFORMED;
    }
}

}  // namespace sl
