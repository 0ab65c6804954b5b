#include "keys.hpp"

extern "C" const char *sl_key_name(sl_key key) {
    return key < SL_KEY_COUNT ? sl::spellings[key] : "";
}

bool sl::spelling_matches(sl_key key, const uint8_t *text, size_t count) {
    return std::memcmp(text, sl_key_name(key), count) == 0;
}

sl_key sl::key_with_escapes(ondemand::field &field) {
    std::string_view unescaped;
    // No key has the number SL_KEY_COUNT; `each_field` then reports malformed JSON.
    if (field.unescaped_key().get(unescaped) != simdjson::SUCCESS) { return SL_KEY_COUNT; }
    if (std::memchr(unescaped.data(), 0, unescaped.size()) != nullptr) { return SL_KEY_COUNT; }
    uint8_t copy[40] = {};
    if (unescaped.size() > 32) { return SL_KEY_UNKNOWN; }
    std::memcpy(copy, unescaped.data(), unescaped.size());
    return find_key(copy, unescaped.size());
}
