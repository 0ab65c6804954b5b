#pragma once

// Debug builds have no development checks, so that they behave as release builds; the checks detect misused iterators.
#define SIMDJSON_DEVELOPMENT_CHECKS 0
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <cstring>
#include <memory>
#include <vector>

#include "include/CSimdJSON.h"

namespace sl {
namespace ondemand = simdjson::ondemand;

/// The text of a date, `YYYY-MM-DD`, in two words, and its midnight in UTC.
struct known_date {
    uint64_t first = 0x2D31302D30373931;  // "1970-01-"
    uint16_t last = 0x3130;               // "01"
    int64_t midnight_ms = 0;
};

/// The text of a member's name from its quote to the colon, at most 24 bytes: three words, which may overlap, and the
/// offsets of two. The words of a very short name include the start of its value, and match only the same start.
struct known_name {
    uint64_t first = 0, middle = 0, last = 0;  // no name contains a zero byte
    uint32_t middle_start = 0, last_start = 0;
    uint32_t count = 0;
    sl_key key = SL_KEY_UNKNOWN;
};

}  // namespace sl

/// simdjson's parser and the padded copy of the record that it reads.
///
/// The text is copied (about 10 ns for a usual record), because simdjson may read 64 bytes beyond the text, which
/// librdkafka's buffers do not have. On Demand relies on the zero padding to detect an unbalanced document.
struct sl_parser {
    simdjson::ondemand::parser parser;
    std::unique_ptr<uint8_t[]> buffer;
    size_t capacity = 0;
    size_t small_records = 0;
    /// The date read last, so that a date is parsed once for all records of a day.
    sl::known_date date;
    /// For each key, the name that followed it in the previous record; for SL_KEY_COUNT, the first name. Devices write
    /// their members in the same order every time.
    sl::known_name followers[SL_KEY_COUNT + 1];
    sl_fix single;
    std::vector<sl_fix> fixes;
    std::vector<sl_value> values;
    std::unique_ptr<uint8_t[]> minified;
    size_t minified_capacity = 0;

    /// Copies the text and pads it with zeros.
    sl_status copy(const uint8_t *json, size_t count);

    /// Copies the text and runs simdjson's stage 1 (search for tokens); the document starts at the first token.
    sl_status load(const uint8_t *json, size_t count, simdjson::ondemand::document &document);

  private:
    bool reserve(size_t count);
};

namespace sl {

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
