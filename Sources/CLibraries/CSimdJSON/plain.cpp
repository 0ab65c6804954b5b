#include "cursor.hpp"

using sl::cursor;

extern "C" const uint8_t *sl_copy(sl_parser *parser, const uint8_t *json, size_t count) {
    return parser->copy(json, count) == SL_OK ? parser->buffer.get() : nullptr;
}

extern "C" const uint8_t *sl_plain_text(sl_parser *parser, const uint8_t *start, sl_text *result) {
    cursor cursor(*parser, start);
    return cursor.value(*result) ? cursor.position() : nullptr;
}

extern "C" const uint8_t *sl_plain_number(sl_parser *parser, const uint8_t *start, double *result) {
    cursor cursor(*parser, start);
    return cursor.value(*result) ? cursor.position() : nullptr;
}

extern "C" const uint8_t *sl_plain_integer(sl_parser *parser, const uint8_t *start, int64_t *result) {
    cursor cursor(*parser, start);
    return cursor.value(*result) ? cursor.position() : nullptr;
}

extern "C" const uint8_t *sl_plain_time(sl_parser *parser, const uint8_t *start, int64_t *milliseconds) {
    cursor cursor(*parser, start);
    return cursor.time(*milliseconds) ? cursor.position() : nullptr;
}
