#include "written.hpp"

namespace {

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

bool is_percent(int64_t number) { return number >= 0 && number <= 10000; }

sl_status percent(value &value, uint32_t &present, uint32_t bit, int16_t &target) {
    int64_t number = 0;
    sl_status status = optional(sl::read(value, number), present, bit);
    target = int16_t(number);
    return status == SL_OK && !is_percent(number) ? SL_OUT_OF_RANGE : status;
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
        case SL_KEY_RAW:
            return optional(sl::each_field(value, [&](sl_key inner, sl::ondemand::value &nested_value) {
                return raw_field(verdict, inner, nested_value);
            }));
        default: return estimate_field(verdict, key, value);
    }
}

/// The list of reasons is large and mostly unused: only its count is cleared.
void clear(sl_verdict &verdict) {
    verdict.event_id = verdict.driver_id = verdict.session_id = verdict.trip_id = {nullptr, 0};
    verdict.verdict = verdict.confidence = {nullptr, 0};
    verdict.reason_count = 0;
    verdict.risk = verdict.speed_mps = verdict.accuracy_meters = 0;
    verdict.present = 0;
    verdict.is_halted = false;
}

// As VerdictWriter writes it.

using sl::written_reader;

bool written_reasons(written_reader &reader, sl_verdict &verdict) {
    if (!reader.skip(",\"reasons\":[")) { return false; }
    if (reader.skip("]")) { return true; }
    do {
        if (verdict.reason_count == SL_MAXIMUM_REASONS || !reader.text(verdict.reasons[verdict.reason_count++])) {
            return false;
        }
    } while (reader.skip(","));
    return reader.skip("]");
}

bool written_identity(written_reader &reader, sl_verdict &verdict) {
    return reader.skip("{\"event_id\":") && reader.text(verdict.event_id) && reader.skip(",\"driver_id\":")
        && reader.text(verdict.driver_id) && reader.text_if(",\"session_id\":", verdict.session_id)
        && reader.integer_if(",\"sequence\":", verdict.present, SL_VERDICT_SEQUENCE, verdict.sequence)
        && reader.text_if(",\"trip_id\":", verdict.trip_id) && reader.skip(",\"verdict\":")
        && reader.text(verdict.verdict) && written_reasons(reader, verdict) && reader.skip(",\"risk\":")
        && reader.number(verdict.risk);
}

bool written_estimate(written_reader &reader, sl_verdict &verdict) {
    if (!reader.skip(",\"latitude\":")) { return true; }
    verdict.present |=
        SL_VERDICT_ESTIMATE_LATITUDE | SL_VERDICT_ESTIMATE_LONGITUDE | SL_VERDICT_SPEED | SL_VERDICT_ACCURACY;
    return reader.number(verdict.latitude) && reader.skip(",\"longitude\":") && reader.number(verdict.longitude)
        && reader.number_if(",\"heading\":", verdict.present, SL_VERDICT_HEADING, verdict.heading)
        && reader.skip(",\"speed_mps\":") && reader.number(verdict.speed_mps) && reader.skip(",\"accuracy_meters\":")
        && reader.number(verdict.accuracy_meters) && reader.skip(",\"confidence\":")
        && reader.text(verdict.confidence) && reader.skip(",\"is_halted\":") && reader.boolean(verdict.is_halted);
}

bool written_raw(written_reader &reader, sl_verdict &verdict) {
    uint32_t &present = verdict.present;
    present |= SL_VERDICT_RAW_LATITUDE | SL_VERDICT_RAW_LONGITUDE;
    sl_text unused;
    return reader.skip(",\"raw\":{\"latitude\":") && reader.number(verdict.raw_latitude)
        && reader.skip(",\"longitude\":") && reader.number(verdict.raw_longitude)
        && reader.number_if(",\"accuracy_meters\":", present, SL_VERDICT_RAW_ACCURACY, verdict.raw_accuracy_meters)
        && reader.number_if(",\"heading\":", present, SL_VERDICT_RAW_HEADING, verdict.raw_heading)
        && reader.number_if(",\"speed_mps\":", present, SL_VERDICT_RAW_SPEED, verdict.raw_speed_mps)
        && reader.number_if(",\"altitude_meters\":", present, SL_VERDICT_RAW_ALTITUDE, verdict.raw_altitude_meters)
        && (reader.skip("}")
            || ((reader.skip(",\"is_mock\":true") || true) && reader.text_if(",\"integrity\":", unused)
                && reader.text_if(",\"source\":", unused) && reader.skip("}")));
}

bool written_rest(written_reader &reader, sl_verdict &verdict) {
    uint32_t &present = verdict.present;
    present |= SL_VERDICT_FIXED_AT | SL_VERDICT_RECEIVED_AT;
    int64_t battery = 0, occupancy = 0;
    bool is_read = reader.time_if(",\"device_at\":", present, SL_VERDICT_DEVICE_AT, verdict.device_ms)
        && reader.skip(",\"fixed_at\":") && reader.time(verdict.fixed_ms) && reader.skip(",\"received_at\":")
        && reader.time(verdict.received_ms)
        && reader.integer_if(",\"battery_percent\":", present, SL_VERDICT_BATTERY, battery)
        && reader.integer_if(",\"occupancy_percent\":", present, SL_VERDICT_OCCUPANCY, occupancy)
        && reader.skip("}");
    verdict.battery_percent = int16_t(battery);
    verdict.occupancy_percent = int16_t(occupancy);
    return is_read && is_percent(battery) && is_percent(occupancy);
}

}  // namespace

extern "C" bool sl_read_written_verdict(sl_parser *parser, const uint8_t *json, size_t count, sl_verdict *result) {
    if (parser->copy(json, count) != SL_OK) { return false; }
    clear(*result);
    written_reader reader(*parser, count);
    return written_identity(reader, *result) && written_estimate(reader, *result) && written_raw(reader, *result)
        && written_rest(reader, *result) && reader.is_at_end();
}

extern "C" sl_status sl_read_verdict(sl_parser *parser, const uint8_t *json, size_t count, sl_verdict *result) {
    clear(*result);
    sl_status status = sl::each_top_field(parser, json, count, [result](sl_key key, value &value) {
        return field(*result, key, value);
    });
    return status;
}
