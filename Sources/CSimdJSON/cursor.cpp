#include "cursor.hpp"

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
