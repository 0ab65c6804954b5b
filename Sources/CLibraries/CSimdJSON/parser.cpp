#include "parser.hpp"

#include <new>

namespace {

constexpr size_t usual_capacity = size_t(1) << 13;
constexpr size_t large_capacity = size_t(1) << 16;

/// Number of successive small records after which the memory of a large one is released.
constexpr size_t records_until_shrink = 4096;

}  // namespace

bool sl_parser::reserve(size_t count) {
    small_records = count <= usual_capacity ? small_records + 1 : 0;
    bool shrinks = capacity > large_capacity && small_records > records_until_shrink;
    if (count <= capacity && !shrinks) { return true; }
    size_t new_capacity = usual_capacity;
    while (new_capacity < count) { new_capacity *= 2; }
    std::unique_ptr<uint8_t[]> memory(new (std::nothrow) uint8_t[new_capacity + simdjson::SIMDJSON_PADDING]);
    if (!memory || parser.allocate(new_capacity) != simdjson::SUCCESS) { return false; }
    buffer = std::move(memory);
    capacity = new_capacity;
    if (shrinks) {
        fixes = std::vector<sl_fix>();
        values = std::vector<sl_value>();
        minified.reset();
        minified_capacity = 0;
    }
    return true;
}

sl_status sl_parser::copy(const uint8_t *json, size_t count) {
    if (count == 0) { return SL_EMPTY; }
    if (!reserve(count)) { return SL_NO_MEMORY; }
    std::memcpy(buffer.get(), json, count);
    std::memset(buffer.get() + count, 0, simdjson::SIMDJSON_PADDING);
    return SL_OK;
}

sl_status sl_parser::load(const uint8_t *json, size_t count, simdjson::ondemand::document &document) {
    sl_status status = copy(json, count);
    if (status != SL_OK) { return status; }
    status = sl::status_of(
        parser.iterate(buffer.get(), count, capacity + simdjson::SIMDJSON_PADDING).get(document));
    // simdjson reports an unclosed string before invalid UTF-8, so the fault of binary data would depend on its number
    // of quotes.
    if (status == SL_MALFORMED && !simdjson::validate_utf8(reinterpret_cast<const char *>(json), count)) {
        return SL_INVALID_UTF8;
    }
    return status;
}

extern "C" sl_parser *sl_parser_create(void) { return new (std::nothrow) sl_parser(); }

extern "C" const uint8_t *sl_buffer(const sl_parser *parser) { return parser->buffer.get(); }

extern "C" void sl_parser_destroy(sl_parser *parser) { delete parser; }

extern "C" sl_status sl_minify(sl_parser *parser, const uint8_t *json, size_t count, sl_text *result) {
    const sl_value *values;
    sl_status status = sl_read_values(parser, json, count, SL_KEEP_NONE, &values);
    if (status != SL_OK) { return status; }
    if (parser->minified_capacity < count) {
        size_t new_capacity = count * 2 + 256;
        parser->minified.reset(new (std::nothrow) uint8_t[new_capacity + simdjson::SIMDJSON_PADDING]);
        parser->minified_capacity = parser->minified ? new_capacity : 0;
        if (!parser->minified) { return SL_NO_MEMORY; }
    }
    size_t written = 0;
    auto error = simdjson::minify(
        reinterpret_cast<const char *>(parser->buffer.get()), count,
        reinterpret_cast<char *>(parser->minified.get()), written);
    *result = {parser->minified.get(), written};
    return sl::status_of(error);
}
