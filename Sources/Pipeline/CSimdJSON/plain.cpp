#include "cursor.hpp"

namespace {

/// The names of members with their quotes and the colon, in words that are compared and stored whole.
struct member_names {
    struct name {
        uint64_t words[3] = {0, 0, 0};
        /// Of the bytes of the first word, those that are the name's.
        uint64_t mask = ~uint64_t(0);
        /// Where the last two words begin; they overlap the ones before in a name that is shorter.
        uint32_t middle_start = 0, last_start = 0;
        uint32_t count = 0;
    };
    static constexpr size_t maximum_count = 24;
    name names[SL_KEY_COUNT] = {};

    constexpr member_names() {
        constexpr const char *spellings[] = {
            "",
#define SL_NAME(name, spelling) "\"" spelling "\":",
            SL_KEYS(SL_NAME)
#undef SL_NAME
        };
        for (size_t key = 1; key < SL_KEY_COUNT; key++) {
            size_t count = 0;
            while (spellings[key][count] != 0) { count++; }
            name &name = names[key];
            name.count = uint32_t(count);
            name.last_start = count < 8 ? 0 : uint32_t(count) - 8;
            name.middle_start = name.last_start < 8 ? name.last_start : 8;
            name.words[0] = sl::key_table::word_at(spellings[key], 0, count);
            name.words[1] = sl::key_table::word_at(spellings[key], name.middle_start, count);
            name.words[2] = sl::key_table::word_at(spellings[key], name.last_start, count);
            if (count < 8) { name.mask = (uint64_t(1) << (8 * count)) - 1; }
        }
    }

    constexpr bool are_short() const {
        for (const name &name : names) {
            if (name.count > maximum_count) { return false; }
        }
        return true;
    }
};

constexpr member_names members;
static_assert(members.are_short(), "The name of a member has over 24 bytes with its quotes and the colon.");

inline bool is_member(const sl_place &place, sl_key key) {
    const member_names::name &name = members.names[key];
    const uint8_t *text = place.next + 1;
    if (*place.next != place.mark || (sl::load64(text) & name.mask) != name.words[0]) { return false; }
    return name.count < 8
        || (sl::load64(text + name.middle_start) == name.words[1] && sl::load64(text + name.last_start) == name.words[2]);
}

inline bool skip(sl_place &place, sl_key key) {
    if (!is_member(place, key)) { return false; }
    place.next += 1 + members.names[key].count;
    place.mark = ',';
    return true;
}

/// Reads the value of a member with `read`, if the member comes next.
template <typename Read>
inline sl_found member(sl_parser *parser, sl_place *place, sl_key key, Read read) {
    if (!skip(*place, key)) { return SL_ABSENT; }
    sl::cursor cursor(*parser, place->next);
    if (!read(cursor)) { return SL_OTHER; }
    place->next = cursor.position();
    return SL_FOUND;
}

}  // namespace

extern "C" const uint8_t *sl_copy(sl_parser *parser, const uint8_t *json, size_t count) {
    return parser->copy(json, count) == SL_OK ? parser->buffer.get() : nullptr;
}

extern "C" bool sl_is_member(const sl_place *place, sl_key key) { return is_member(*place, key); }

extern "C" bool sl_skip_member(sl_place *place, sl_key key) { return skip(*place, key); }

extern "C" sl_found sl_text_member(sl_parser *parser, sl_place *place, sl_key key, sl_text *result) {
    return member(parser, place, key, [result](sl::cursor &cursor) { return cursor.text(*result); });
}

extern "C" sl_found sl_number_member(sl_parser *parser, sl_place *place, sl_key key, double *result) {
    return member(parser, place, key, [result](sl::cursor &cursor) { return cursor.number(*result); });
}

extern "C" sl_found sl_integer_member(sl_parser *parser, sl_place *place, sl_key key, int64_t *result) {
    return member(parser, place, key, [result](sl::cursor &cursor) { return cursor.integer(*result); });
}

extern "C" sl_found sl_bool_member(sl_parser *parser, sl_place *place, sl_key key, bool *result) {
    return member(parser, place, key, [result](sl::cursor &cursor) { return cursor.boolean(*result); });
}

extern "C" sl_found sl_time_member(sl_parser *parser, sl_place *place, sl_key key, int64_t *milliseconds) {
    return member(parser, place, key, [milliseconds](sl::cursor &cursor) { return cursor.time(*milliseconds); });
}

extern "C" bool sl_plain_text(sl_parser *parser, sl_place *place, sl_text *result) {
    sl::cursor cursor(*parser, place->next);
    if (!cursor.text(*result)) { return false; }
    place->next = cursor.position();
    return true;
}

extern "C" size_t sl_write_member(uint8_t *room, uint8_t mark, sl_key key) {
    const member_names::name &name = members.names[key];
    room[0] = mark;
    std::memcpy(room + 1, &name.words[0], 8);
    std::memcpy(room + 1 + name.middle_start, &name.words[1], 8);
    std::memcpy(room + 1 + name.last_start, &name.words[2], 8);
    return 1 + name.count;
}
