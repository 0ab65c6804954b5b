#include "scalars.hpp"

namespace {

using sl::ondemand::object;
using sl::ondemand::value;

/// Null is nothing; otherwise sets the bit of what was read.
inline sl_status optional(sl_status status, uint32_t &present, uint32_t bit) {
    if (simdjson_likely(status == SL_OK)) {
        present |= bit;
        return SL_OK;
    }
    return status == SL_EMPTY ? SL_OK : status;
}

inline sl_status optional(sl_status status) { return status == SL_EMPTY ? SL_OK : status; }

sl_status percent(value &value, uint32_t &present, uint32_t bit, int16_t &target) {
    int64_t number = 0;
    sl_status status = optional(sl::read(value, number), present, bit);
    target = int16_t(number);
    return status == SL_OK && (number < 0 || number > 10000) ? SL_OUT_OF_RANGE : status;
}

sl_status raw_field(sl_verdict &verdict, sl_key key, value &value) {
    uint32_t &present = verdict.present;
    switch (key) {
        case SL_KEY_LATITUDE: return optional(sl::read(value, verdict.raw_latitude), present, SL_VERDICT_RAW_LATITUDE);
        case SL_KEY_LONGITUDE:
            return optional(sl::read(value, verdict.raw_longitude), present, SL_VERDICT_RAW_LONGITUDE);
        case SL_KEY_ACCURACY_METERS:
            return optional(sl::read(value, verdict.raw_accuracy_meters), present, SL_VERDICT_RAW_ACCURACY);
        case SL_KEY_HEADING: return optional(sl::read(value, verdict.raw_heading), present, SL_VERDICT_RAW_HEADING);
        case SL_KEY_SPEED_MPS: return optional(sl::read(value, verdict.raw_speed_mps), present, SL_VERDICT_RAW_SPEED);
        case SL_KEY_ALTITUDE_METERS:
            return optional(sl::read(value, verdict.raw_altitude_meters), present, SL_VERDICT_RAW_ALTITUDE);
        default: return sl::check(value, 2);
    }
}

sl_status reasons(sl_verdict &verdict, value &value) {
    sl::ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) { return optional(sl::misfit(value, 1)); }
    return sl::each_element(array, [&verdict](sl::ondemand::value &element) {
        sl_text text;
        sl_status status = sl::read(element, text);
        if (status != SL_OK) { return status; }
        if (verdict.reason_count == SL_MAXIMUM_REASONS) { return SL_OUT_OF_RANGE; }
        verdict.reasons[verdict.reason_count++] = text;
        return SL_OK;
    });
}

sl_status estimate_field(sl_verdict &verdict, sl_key key, value &value) {
    uint32_t &present = verdict.present;
    switch (key) {
        case SL_KEY_LATITUDE: return optional(sl::read(value, verdict.latitude), present, SL_VERDICT_ESTIMATE_LATITUDE);
        case SL_KEY_LONGITUDE:
            return optional(sl::read(value, verdict.longitude), present, SL_VERDICT_ESTIMATE_LONGITUDE);
        case SL_KEY_HEADING: return optional(sl::read(value, verdict.heading), present, SL_VERDICT_HEADING);
        case SL_KEY_SPEED_MPS: return optional(sl::read(value, verdict.speed_mps), present, SL_VERDICT_SPEED);
        case SL_KEY_ACCURACY_METERS:
            return optional(sl::read(value, verdict.accuracy_meters), present, SL_VERDICT_ACCURACY);
        case SL_KEY_CONFIDENCE: return optional(sl::read(value, verdict.confidence));
        case SL_KEY_IS_HALTED: return optional(sl::read(value, verdict.is_halted));
        default: return sl::check(value, 1);
    }
}

sl_status field(sl_verdict &verdict, sl_key key, value &value) {
    uint32_t &present = verdict.present;
    switch (key) {
        case SL_KEY_EVENT_ID: return sl::read(value, verdict.event_id);
        case SL_KEY_DRIVER_ID: return sl::read(value, verdict.driver_id);
        case SL_KEY_SESSION_ID: return optional(sl::read(value, verdict.session_id));
        case SL_KEY_TRIP_ID: return optional(sl::read(value, verdict.trip_id));
        case SL_KEY_VERDICT: return sl::read(value, verdict.verdict);
        case SL_KEY_REASONS: return reasons(verdict, value);
        case SL_KEY_SEQUENCE: return optional(sl::read(value, verdict.sequence), present, SL_VERDICT_SEQUENCE);
        case SL_KEY_RISK: return optional(sl::read(value, verdict.risk));
        case SL_KEY_DEVICE_AT:
            return optional(sl::read_time(value, verdict.device_ms), present, SL_VERDICT_DEVICE_AT);
        case SL_KEY_FIXED_AT: return optional(sl::read_time(value, verdict.fixed_ms), present, SL_VERDICT_FIXED_AT);
        case SL_KEY_RECEIVED_AT:
            return optional(sl::read_time(value, verdict.received_ms), present, SL_VERDICT_RECEIVED_AT);
        case SL_KEY_BATTERY_PERCENT: return percent(value, present, SL_VERDICT_BATTERY, verdict.battery_percent);
        case SL_KEY_OCCUPANCY_PERCENT:
            return percent(value, present, SL_VERDICT_OCCUPANCY, verdict.occupancy_percent);
        case SL_KEY_RAW: {
            object object;
            if (value.get_object().get(object) != simdjson::SUCCESS) { return optional(sl::misfit(value, 1)); }
            return sl::each_field(object, [&](sl_key inner, sl::ondemand::value &nested_value) {
                return raw_field(verdict, inner, nested_value);
            });
        }
        default: return estimate_field(verdict, key, value);
    }
}

}  // namespace

extern "C" sl_status sl_read_verdict(sl_parser *parser, const uint8_t *json, size_t count, sl_verdict *result) {
    // The list of reasons is large and mostly unused: only what lies behind its count is cleared.
    result->event_id = result->driver_id = result->session_id = result->trip_id = {nullptr, 0};
    result->verdict = result->confidence = {nullptr, 0};
    result->reason_count = 0;
    result->risk = result->speed_mps = result->accuracy_meters = 0;
    result->present = 0;
    result->is_halted = false;
    sl_status status = sl::each_top_field(parser, json, count, [result](sl_key key, value &value) {
        return field(*result, key, value);
    });
    return status;
}
