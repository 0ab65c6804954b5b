#pragma once

#include "scalars.hpp"

// Words for network type and motion activity, which iOS and Android spell in several ways.

namespace sl {

/// A word in lower case without hyphens, underscores and blanks: `IN_VEHICLE`, `inVehicle` and `in vehicle` are equal.
/// Empty if more than 16 characters remain.
struct plain_word {
    char text[16] = {};

    explicit plain_word(sl_text written) {
        size_t count = 0;
        for (size_t index = 0; index < written.count; index++) {
            char letter = char(written.start[index]);
            if (letter == '_' || letter == '-' || letter == ' ') { continue; }
            if (count == sizeof(text)) {
                *this = plain_word();
                return;
            }
            text[count++] = letter >= 'A' && letter <= 'Z' ? char(letter + ('a' - 'A')) : letter;
        }
    }

  private:
    plain_word() = default;
};

/// A word as in `plain_word`, and its SL_NETWORK_… or SL_MOTION_… number.
struct known_word {
    char text[16];
    uint8_t number;
};

/// Returns the number of a word; 0 (unknown) if it is not listed.
template <size_t size>
inline uint8_t number_of(sl_text text, const known_word (&words)[size]) {
    plain_word word(text);
    for (const known_word &known : words) {
        if (std::memcmp(known.text, word.text, sizeof(word.text)) == 0) { return known.number; }
    }
    return 0;
}

inline constexpr known_word network_words[] = {
    {"wifi", SL_NETWORK_WIFI}, {"cellular", SL_NETWORK_CELLULAR}, {"mobile", SL_NETWORK_CELLULAR},
    {"2g", SL_NETWORK_2G}, {"edge", SL_NETWORK_2G}, {"gprs", SL_NETWORK_2G}, {"3g", SL_NETWORK_3G},
    {"umts", SL_NETWORK_3G}, {"hspa", SL_NETWORK_3G}, {"4g", SL_NETWORK_4G}, {"lte", SL_NETWORK_4G},
    {"5g", SL_NETWORK_5G}, {"nr", SL_NETWORK_5G}, {"ethernet", SL_NETWORK_ETHERNET}, {"none", SL_NETWORK_NONE},
    {"offline", SL_NETWORK_NONE},
};

inline constexpr known_word motion_words[] = {
    {"stationary", SL_MOTION_STATIONARY}, {"still", SL_MOTION_STATIONARY}, {"walking", SL_MOTION_WALKING},
    {"onfoot", SL_MOTION_WALKING}, {"running", SL_MOTION_RUNNING}, {"cycling", SL_MOTION_CYCLING},
    {"onbicycle", SL_MOTION_CYCLING}, {"automotive", SL_MOTION_AUTOMOTIVE}, {"invehicle", SL_MOTION_AUTOMOTIVE},
    {"driving", SL_MOTION_AUTOMOTIVE},
};

}  // namespace sl
