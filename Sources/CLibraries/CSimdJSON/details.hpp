#pragma once

#include "cursor.hpp"
#include "device_words.hpp"

namespace sl {

// Details of a fix: fields that spoof detection does not use. A value of the wrong type or range counts as unknown and
// does not make the fix unreadable, except a number that is not finite.

constexpr double maximum_altitude_accuracy_meters = 1e8;
constexpr double maximum_heading_accuracy_degrees = 360;
constexpr double maximum_speed_accuracy_mps = 1e6;

inline sl_status ignore_wrong_type(sl_status status) { return status == SL_WRONG_TYPE ? SL_OK : status; }

/// Reads a number within [0, maximum]; clears `bit` for anything else.
template <typename Value>
inline sl_status read_detail(sl_fix &fix, Value &value, uint32_t bit, double maximum, double &target) {
    double number = 0;
    sl_status status = read(value, number);
    bool is_known = status == SL_OK && number >= 0 && number <= maximum;
    fix.present = is_known ? fix.present | bit : fix.present & ~bit;
    target = number + 0.0;  // -0 becomes 0
    return ignore_wrong_type(status);
}

template <typename Value>
inline sl_status read_detail(sl_fix &fix, Value &value, uint32_t bit, bool &target) {
    sl_status status = read(value, target);
    fix.present = status == SL_OK ? fix.present | bit : fix.present & ~bit;
    return ignore_wrong_type(status);
}

template <typename Value, size_t size>
inline sl_status read_detail(Value &value, const known_word (&words)[size], uint8_t &target) {
    sl_text text = {nullptr, 0};
    sl_status status = read(value, text);
    target = status == SL_OK ? number_of(text, words) : 0;
    return ignore_wrong_type(status);
}

/// Returns whether a key is a detail in the object that contains the position.
/// Other details are in `accuracy` or `metadata`.
inline bool is_detail(sl_key key) {
    switch (key) {
        case SL_KEY_ALTITUDE_ACCURACY_METERS: case SL_KEY_HEADING_ACCURACY_DEGREES: case SL_KEY_SPEED_ACCURACY_MPS:
        case SL_KEY_IS_CHARGING: case SL_KEY_IS_CHARGING_CAMEL:
        case SL_KEY_NETWORK_TYPE: case SL_KEY_NETWORK_TYPE_CAMEL:
        case SL_KEY_MOTION_ACTIVITY: case SL_KEY_MOTION_ACTIVITY_CAMEL: return true;
        default: return false;
    }
}

/// Reads a detail by its name in either device format; only validates members with other names.
///
/// SL_EMPTY means `null`. Any other status except SL_OK means invalid JSON, a number that is not finite or, for a
/// cursor, that the value is not in plain form.
template <typename Value>
inline sl_status read_detail(sl_fix &fix, sl_key key, Value &value, int depth) {
    switch (key) {
        case SL_KEY_VERTICAL:
        case SL_KEY_ALTITUDE_ACCURACY_METERS:
            return read_detail(
                fix, value, SL_FIX_ALTITUDE_ACCURACY, maximum_altitude_accuracy_meters, fix.altitude_accuracy_meters);
        case SL_KEY_HEADING_ACCURACY:
        case SL_KEY_HEADING_ACCURACY_DEGREES:
            return read_detail(
                fix, value, SL_FIX_HEADING_ACCURACY, maximum_heading_accuracy_degrees, fix.heading_accuracy_degrees);
        case SL_KEY_SPEED_ACCURACY:
        case SL_KEY_SPEED_ACCURACY_MPS:
            return read_detail(
                fix, value, SL_FIX_SPEED_ACCURACY, maximum_speed_accuracy_mps, fix.speed_accuracy_mps);
        case SL_KEY_IS_CHARGING_CAMEL:
        case SL_KEY_IS_CHARGING: return read_detail(fix, value, SL_FIX_CHARGING, fix.is_charging);
        case SL_KEY_NETWORK_TYPE_CAMEL:
        case SL_KEY_NETWORK_TYPE: return read_detail(value, network_words, fix.network_type);
        case SL_KEY_MOTION_ACTIVITY_CAMEL:
        case SL_KEY_MOTION_ACTIVITY: return read_detail(value, motion_words, fix.motion_activity);
        default: return check(value, depth);
    }
}

}  // namespace sl
