#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "parser.hpp"

namespace sl {

inline uint64_t load64(const uint8_t *bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    return word;
}

/// Returns a mask with the high bit of every byte of `word` that equals `byte`.
/// Bits above the lowest match may be wrong.
inline uint64_t bytes_equal(uint64_t word, uint8_t byte) {
    uint64_t difference = word ^ (0x0101010101010101u * byte);
    return (difference - 0x0101010101010101u) & ~difference & 0x8080808080808080u;
}

/// Returns the number of bytes before the first quote or backslash. Reading whole words is safe, because simdjson has
/// already found the string's end (stage 1) and the buffer is padded.
simdjson_inline size_t plain_length(const uint8_t *text) {
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    for (size_t index = 0;; index += 16) {
        __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i *>(text + index));
        __m128i found = _mm_or_si128(_mm_cmpeq_epi8(word, quote), _mm_cmpeq_epi8(word, backslash));
        int mask = _mm_movemask_epi8(found);
        if (simdjson_likely(mask != 0)) { return index + size_t(__builtin_ctz(unsigned(mask))); }
    }
#else
    for (size_t index = 0;; index += 8) {
        uint64_t word = load64(text + index);
        uint64_t found = bytes_equal(word, '"') | bytes_equal(word, '\\');
        if (found != 0) { return index + size_t(__builtin_ctzll(found)) / 8; }
    }
#endif
}

/// The text of each key.
inline constexpr const char *spellings[] = {
    "",
#define SL_SPELLING(name, spelling) spelling,
    SL_KEYS(SL_SPELLING)
#undef SL_SPELLING
};

/// Hash table of the keys by their first and last eight bytes and their length.
struct key_table {
    static constexpr size_t bits = 10;
    static constexpr size_t size = size_t(1) << bits;

    struct entry {
        uint64_t first = 0, last = 0;
        uint32_t count = 0;
        sl_key key = SL_KEY_UNKNOWN;
    };
    /// Eight entries more than `slot_of` can return, for probes past the end.
    entry entries[size + 8] = {};

    constexpr key_table() {
        for (size_t key = 1; key < SL_KEY_COUNT; key++) {
            const char *text = spellings[key];
            size_t count = 0;
            while (text[count] != 0) { count++; }
            entry added;
            added.first = word_at(text, 0, count);
            added.last = count > 8 ? word_at(text, count - 8, count) : 0;
            added.count = uint32_t(count);
            added.key = sl_key(key);
            size_t slot = slot_of(added.first, added.last);
            while (entries[slot].count != 0) { slot++; }
            entries[slot] = added;
        }
    }

    static constexpr size_t slot_of(uint64_t first, uint64_t last) {
        return size_t(((first ^ (last << 1)) * 0x9E3779B97F4A7C15u) >> (64 - bits));
    }

    /// Reads eight bytes in little-endian order, without reading beyond `count`.
    static constexpr uint64_t word_at(const char *text, size_t start, size_t count) {
        uint64_t word = 0;
        for (size_t index = 0; index < 8 && start + index < count; index++) {
            word |= uint64_t(uint8_t(text[start + index])) << (8 * index);
        }
        return word;
    }
};

inline constexpr key_table keys;

/// Compares the whole text of a key that is longer than 16 bytes.
bool spelling_matches(sl_key key, const uint8_t *text, size_t count);

/// Returns the key with this text, or SL_KEY_UNKNOWN. Eight bytes from `text` on must be readable.
simdjson_inline sl_key find_key(const uint8_t *text, size_t count) {
    if (simdjson_unlikely(count == 0)) { return SL_KEY_UNKNOWN; }
    uint64_t first = load64(text);
    uint64_t last = 0;
    if (count < 8) {
        first &= (uint64_t(1) << (8 * count)) - 1;
    } else if (count > 8) {
        last = load64(text + count - 8);
    }
    const key_table::entry *probed = &keys.entries[key_table::slot_of(first, last)];
    while (probed->first != first || probed->last != last || probed->count != count) {
        if (probed->count == 0) { return SL_KEY_UNKNOWN; }
        // The table is much larger than its content, so every probe reaches an empty slot.
        probed++;
    }
    return count <= 16 || spelling_matches(probed->key, text, count) ? probed->key : SL_KEY_UNKNOWN;
}

/// Returns the key of a field whose name has escapes; SL_KEY_COUNT if an escape is invalid or represents U+0000.
sl_key key_with_escapes(ondemand::field &field);

/// Returns the key of a field, or SL_KEY_COUNT as `key_with_escapes` does.
simdjson_inline sl_key key_of(ondemand::field &field) {
    const auto *text = reinterpret_cast<const uint8_t *>(field.key().raw());
    size_t count = plain_length(text);
    return simdjson_likely(text[count] == '"') ? find_key(text, count) : key_with_escapes(field);
}

}  // namespace sl
