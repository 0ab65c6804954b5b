#include "cursor.hpp"

bool sl::cursor::look_up_name(known_name &expected) {
    const uint8_t *start = next;
    sl_text text;
    if (!value(text) || !punctuation(':')) { return false; }
    last_key = find_key(text.start, text.count);
    auto count = uint32_t(next - start);
    // `expected` cannot store names with white space before the colon or of over 24 bytes with quotes and colon.
    if (count != text.count + 3 || count > 24) { return true; }
    uint32_t last_start = count < 8 ? 0 : count - 8, middle_start = last_start < 8 ? last_start : 8;
    expected = {
        load64(start), load64(start + middle_start), load64(start + last_start), middle_start, last_start, count,
        last_key};
    return true;
}

sl_status sl::check(cursor &cursor, int depth) {
    if (depth > maximum_depth) { return SL_MALFORMED; }
    switch (cursor.peek()) {
        case '{':
            return each_field(cursor, [depth](sl_key, sl::cursor &inner) { return check(inner, depth + 1); });
        case '[': return each_element(cursor, [depth](sl::cursor &inner) { return check(inner, depth + 1); });
        case '"': {
            sl_text unused;
            return read(cursor, unused);
        }
        case 't':
        case 'f': {
            bool unused;
            return read(cursor, unused);
        }
        default: {
            double unused;
            sl_status status = read(cursor, unused);
            return status == SL_EMPTY ? SL_OK : status;
        }
    }
}
