#include <cmath>

#include "cursor.hpp"
#include "details.hpp"

// Ranges: outside them a value cannot come from a receiver, and the fix is unreadable.
// Speeds and accuracies that are merely absurd are for the judges, so these are wide.

namespace {

constexpr double maximum_accuracy_meters = 1e8;
constexpr double maximum_speed_mps = 1e6;
constexpr double maximum_heading = 36000;
constexpr double maximum_altitude_meters = 1e7;
constexpr double maximum_occupancy_percent = 1000;  // a bus may be fuller than full
constexpr size_t maximum_id_bytes = 128;

enum class record_type : uint8_t { none, single, batch, unknown };

/// What is known of one element: the fix, and the members around it.
struct element {
    sl_fix *fix;
    record_type type;
    bool is_record;  // the record itself, not an element of its batch
};

void fail(sl_fix &fix, sl_status status, sl_key key) {
    if (fix.status != SL_OK) { return; }
    fix.status = status;
    fix.status_key = key;
}

/// Notes what is wrong with a field and goes on; only broken JSON ends the reading.
sl_status note(sl_fix &fix, sl_status status, sl_key key) {
    if (status == SL_MALFORMED) { return SL_MALFORMED; }
    if (status != SL_OK && status != SL_EMPTY) { fail(fix, status, key); }
    return SL_OK;
}

uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    return hash ^ (hash >> 32);
}

uint64_t bits(double number) {
    uint64_t word;
    std::memcpy(&word, &number, 8);
    return word;
}

/// The content that makes two fixes the same fix, whatever the order and notation of the fields was.
uint64_t content_hash(const sl_fix &fix) {
    constexpr uint64_t absent = 0x7FF8000000000001u;  // the bits of a NaN, which no field can hold
    uint64_t hash = mix(0x9E3779B97F4A7C15u, bits(fix.latitude));
    hash = mix(hash, bits(fix.longitude));
    hash = mix(hash, fix.present & SL_FIX_DEVICE_TIME ? uint64_t(fix.device_ms) : absent);
    hash = mix(hash, fix.present & SL_FIX_SPEED ? bits(fix.speed_mps) : absent);
    hash = mix(hash, fix.present & SL_FIX_HEADING ? bits(fix.heading) : absent);
    bool has_accuracy = fix.present & (SL_FIX_ACCURACY | SL_FIX_ZERO_ACCURACY);
    return mix(hash, has_accuracy ? bits(fix.accuracy_meters) : absent);
}

/// Checks what is required and works out what is derived.
void finish(sl_fix &fix) {
    if (!(fix.present & SL_FIX_LATITUDE)) { fail(fix, SL_MISSING, SL_KEY_LATITUDE); }
    if (!(fix.present & SL_FIX_LONGITUDE)) { fail(fix, SL_MISSING, SL_KEY_LONGITUDE); }
    if (!(fix.present & (SL_FIX_DEVICE_TIME | SL_FIX_SEQUENCE))) { fail(fix, SL_MISSING, SL_KEY_TIMESTAMP); }
    if (fix.status != SL_OK) { return; }
    fix.content_hash = content_hash(fix);
    fix.session_hash = fix.session_id.count == 0 ? 0 : sl_hash(fix.session_id.start, fix.session_id.count);
}

/// Reads a record out of values of either kind: those of simdjson, or those where a cursor stands. What is said of them
/// is the same.
template <typename Value>
class raw_reader {
  public:
    raw_reader(sl_parser *parser, sl_text driver_id, size_t maximum_fixes)
        : parser(parser), driver_id(driver_id), maximum_fixes(maximum_fixes) {}

    /// `each_top_field` calls what it is given for every field of the record.
    template <typename EachTopField>
    sl_status read(sl_raw &result, EachTopField each_top_field) {
        result = {nullptr, 0, false, false, SL_KEY_UNKNOWN};
        sl_fix &record = parser->single;
        record = {};
        parser->fixes.clear();
        element element{&record, record_type::none, true};
        sl_status status = each_top_field([&](sl_key key, Value &value) { return field(element, key, value, false); });
        if (status != SL_OK) { return status; }
        if (element.type == record_type::batch) { return finish_batch(record, result); }
        result.key = SL_KEY_TYPE;
        if (element.type == record_type::unknown) { return SL_UNKNOWN_TYPE; }
        if (element.type == record_type::none) { return record.status_key == SL_KEY_TYPE ? record.status : SL_MISSING; }
        finish(record);
        result.key = record.status_key;
        if (record.status != SL_OK) { return record.status; }
        result.fixes = &record;
        result.count = 1;
        return SL_OK;
    }

  private:
    sl_parser *parser;
    sl_text driver_id;
    size_t maximum_fixes;
    bool has_locations = false;
    bool is_too_large = false;

    /// Reads a number within [minimum, maximum] into `target`; null and a failure leave `bit` unset.
    inline sl_status number(
        sl_fix &fix, sl_key key, Value &value, uint32_t bit, double minimum, double maximum, double &target) {
        double number = 0;
        sl_status status = sl::read(value, number);
        fix.present &= ~bit;
        if (simdjson_unlikely(status != SL_OK)) { return note(fix, status, key); }
        if (simdjson_unlikely(!(number >= minimum && number <= maximum))) {
            fail(fix, SL_OUT_OF_RANGE, key);
            return SL_OK;
        }
        target = number + 0.0;  // -0 becomes 0
        fix.present |= bit;
        return SL_OK;
    }

    /// As `number`, and negative means unknown, which is how iOS says it.
    inline sl_status natural(sl_fix &fix, sl_key key, Value &value, uint32_t bit, double maximum, double &target) {
        double number_read = 0;
        sl_status status = number(fix, key, value, bit, -maximum, maximum, number_read);
        if (number_read < 0) { fix.present &= ~bit; }
        target = number_read;
        return status;
    }

    sl_status percent(
        sl_fix &fix, sl_key key, Value &value, uint32_t bit, double maximum, double scale, int16_t &target) {
        double read = 0;
        sl_status status = natural(fix, key, value, bit, maximum, read);
        if (fix.present & bit) { target = int16_t(std::lround(read <= 1 ? read * scale : read)); }
        return status;
    }

    sl_status accuracy(sl_fix &fix, sl_key key, Value &value) {
        double read = 0;
        sl_status status = natural(fix, key, value, SL_FIX_ACCURACY, maximum_accuracy_meters, read);
        fix.present &= ~uint32_t(SL_FIX_ZERO_ACCURACY);
        if ((fix.present & SL_FIX_ACCURACY) && read == 0) {
            fix.present = (fix.present & ~uint32_t(SL_FIX_ACCURACY)) | SL_FIX_ZERO_ACCURACY;
        }
        fix.accuracy_meters = read;
        return status;
    }

    sl_status heading(sl_fix &fix, sl_key key, Value &value) {
        double read = 0;
        sl_status status = natural(fix, key, value, SL_FIX_HEADING, maximum_heading, read);
        fix.heading = read >= 360 ? std::fmod(read, 360) : read;
        return status;
    }

    sl_status identifier(sl_fix &fix, sl_key key, Value &value, sl_text &target) {
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        bool is_valid = text.count <= maximum_id_bytes && !sl::has_control_characters(value, text);
        if (status == SL_OK && !is_valid) { status = SL_INVALID_ID; }
        target = status == SL_OK ? text : sl_text{nullptr, 0};
        return note(fix, status, key);
    }

    sl_status source(sl_fix &fix, Value &value) {
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        fix.source = SL_SOURCE_UNKNOWN;
        if (status != SL_OK) { return note(fix, status, SL_KEY_SOURCE); }
        if (sl::equals(text, "gps")) {
            fix.source = SL_SOURCE_GPS;
        } else if (sl::equals(text, "wifi")) {
            fix.source = SL_SOURCE_WIFI;
        } else if (sl::equals(text, "cellular")) {
            fix.source = SL_SOURCE_CELLULAR;
        } else if (sl::equals(text, "fused")) {
            fix.source = SL_SOURCE_FUSED;
        } else if (sl::equals(text, "cached")) {
            fix.source = SL_SOURCE_CACHED;
        }
        return SL_OK;
    }

    sl_status integrity(sl_fix &fix, Value &value) {
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        fix.integrity = SL_INTEGRITY_UNKNOWN;
        if (status != SL_OK) { return note(fix, status, SL_KEY_INTEGRITY); }
        if (sl::equals(text, "PASSED")) {
            fix.integrity = SL_INTEGRITY_PASSED;
        } else if (sl::equals(text, "FAILED")) {
            fix.integrity = SL_INTEGRITY_FAILED;
        }
        return SL_OK;
    }

    sl_status device_time(sl_fix &fix, Value &value) {
        sl_status status = sl::read_time(value, fix.device_ms);
        fix.present = status == SL_OK ? fix.present | SL_FIX_DEVICE_TIME : fix.present & ~uint32_t(SL_FIX_DEVICE_TIME);
        return note(fix, status, SL_KEY_TIMESTAMP);
    }

    sl_status sequence(sl_fix &fix, Value &value) {
        sl_status status = sl::read(value, fix.sequence);
        fix.present &= ~uint32_t(SL_FIX_SEQUENCE);
        if (status == SL_OK && fix.sequence < 0) { status = SL_OUT_OF_RANGE; }
        if (status == SL_OK) { fix.present |= SL_FIX_SEQUENCE; }
        return note(fix, status, SL_KEY_SEQUENCE);
    }

    sl_status driver(sl_fix &fix, Value &value, sl_text expected) {
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        if (status == SL_OK
            && (text.count != expected.count || std::memcmp(text.start, expected.start, text.count) != 0)) {
            status = SL_KEY_MISMATCH;
        }
        return note(fix, status, SL_KEY_DRIVER_ID);
    }

    sl_status type(element &element, Value &value) {
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        if (status != SL_OK) { return note(*element.fix, status, SL_KEY_TYPE); }
        if (sl::equals(text, "location") || sl::equals(text, "location_update")) {
            element.type = record_type::single;
        } else {
            element.type = sl::equals(text, "location_batch") ? record_type::batch : record_type::unknown;
        }
        return SL_OK;
    }

    /// Opens an object and reads its fields with `handle`; null is nothing, another kind is noted.
    template <typename Handler>
    sl_status nested(sl_fix &fix, sl_key key, Value &value, Handler handle) {
        return note(fix, sl::each_field(value, handle), key);
    }

    sl_status coordinate_field(sl_fix &fix, sl_key key, Value &value) {
        switch (key) {
            case SL_KEY_LATITUDE: return number(fix, key, value, SL_FIX_LATITUDE, -90, 90, fix.latitude);
            case SL_KEY_LONGITUDE: return number(fix, key, value, SL_FIX_LONGITUDE, -180, 180, fix.longitude);
            case SL_KEY_HEADING: return heading(fix, key, value);
            case SL_KEY_SPEED:
            case SL_KEY_SPEED_MPS: return natural(fix, key, value, SL_FIX_SPEED, maximum_speed_mps, fix.speed_mps);
            case SL_KEY_ALTITUDE:
            case SL_KEY_ALTITUDE_METERS:
                return number(
                    fix, key, value, SL_FIX_ALTITUDE, -maximum_altitude_meters, maximum_altitude_meters,
                    fix.altitude_meters);
            default: return sl::check(value, 2);
        }
    }

    sl_status device_field(sl_fix &fix, sl_key key, Value &value) {
        switch (key) {
            case SL_KEY_ACCURACY_METERS: return accuracy(fix, key, value);
            case SL_KEY_TIMESTAMP: return device_time(fix, value);
            case SL_KEY_SOURCE: return source(fix, value);
            case SL_KEY_INTEGRITY: return integrity(fix, value);
            case SL_KEY_BATTERY_PERCENT: return percent(fix, key, value, SL_FIX_BATTERY, 100, 1, fix.battery_percent);
            case SL_KEY_OCCUPANCY_PERCENT:
                return percent(fix, key, value, SL_FIX_OCCUPANCY, maximum_occupancy_percent, 1, fix.occupancy_percent);
            case SL_KEY_IS_MOCK: {
                fix.is_mock = false;
                sl_status status = sl::read(value, fix.is_mock);
                fix.present = status == SL_OK ? fix.present | SL_FIX_MOCK : fix.present & ~uint32_t(SL_FIX_MOCK);
                return note(fix, status, key);
            }
            case SL_KEY_ALTITUDE_ACCURACY_METERS:
            case SL_KEY_HEADING_ACCURACY_DEGREES:
            case SL_KEY_SPEED_ACCURACY_MPS:
            case SL_KEY_IS_CHARGING:
            case SL_KEY_NETWORK_TYPE:
            case SL_KEY_MOTION_ACTIVITY: return note(fix, sl::read_detail(fix, key, value, 1), key);
            default: return coordinate_field(fix, key, value);
        }
    }

    sl_status field(element &element, sl_key key, Value &value, bool inside_payload) {
        sl_fix &fix = *element.fix;
        switch (key) {
            case SL_KEY_TYPE: return inside_payload ? sl::check(value, 1) : type(element, value);
            case SL_KEY_DRIVER_ID: return driver(fix, value, driver_id);
            case SL_KEY_SESSION_ID: return identifier(fix, key, value, fix.session_id);
            case SL_KEY_TRIP_ID: return identifier(fix, key, value, fix.trip_id);
            case SL_KEY_SEQUENCE: return sequence(fix, value);
            case SL_KEY_PAYLOAD: {
                if (inside_payload) { return sl::check(value, 1); }
                return nested(fix, key, value, [&](sl_key inner, Value &nested_value) {
                    return field(element, inner, nested_value, true);
                });
            }
            case SL_KEY_LOCATIONS: return element.is_record ? locations(value, fix) : sl::check(value, 1);
            case SL_KEY_COORDINATE:
                return nested(fix, key, value, [&](sl_key inner, Value &nested_value) {
                    return coordinate_field(fix, inner, nested_value);
                });
            case SL_KEY_ACCURACY:
                return nested(fix, key, value, [&](sl_key inner, Value &nested_value) {
                    return inner == SL_KEY_HORIZONTAL
                               ? accuracy(fix, inner, nested_value)
                               : note(fix, sl::read_detail(fix, inner, nested_value, 2), inner);
                });
            case SL_KEY_METADATA:
                // The mobile model gives the battery as a fraction; some of its users give percent.
                return nested(fix, key, value, [&](sl_key inner, Value &nested_value) {
                    return inner == SL_KEY_BATTERY_LEVEL
                               ? percent(fix, inner, nested_value, SL_FIX_BATTERY, 100, 100, fix.battery_percent)
                               : note(fix, sl::read_detail(fix, inner, nested_value, 2), inner);
                });
            default: return device_field(fix, key, value);
        }
    }

    sl_status location(Value &value) {
        if (parser->fixes.size() == maximum_fixes) {
            is_too_large = true;
            return sl::check(value, 2);
        }
        sl_fix fix = {};
        element element{&fix, record_type::none, false};
        sl_status status = nested(fix, SL_KEY_LOCATIONS, value, [&](sl_key key, Value &inner) {
            return field(element, key, inner, false);
        });
        if (status != SL_OK) { return status; }
        if (element.type == record_type::batch || element.type == record_type::unknown) {
            fix.status = SL_OK;
            fail(fix, SL_UNKNOWN_TYPE, SL_KEY_TYPE);
        }
        parser->fixes.push_back(fix);
        return SL_OK;
    }

    sl_status locations(Value &value, sl_fix &fix) {
        parser->fixes.clear();
        is_too_large = false;
        sl_status status = sl::each_element(value, [this](Value &element) { return location(element); });
        has_locations = status == SL_OK;
        return note(fix, status, SL_KEY_LOCATIONS);
    }

    /// What speaks against the whole batch; its own members only, its elements carry their own status.
    sl_status finish_batch(sl_fix &record, sl_raw &result) {
        result.is_batch = true;
        result.key = SL_KEY_LOCATIONS;
        if (record.status != SL_OK) {
            result.key = record.status_key;
            return record.status;
        }
        std::vector<sl_fix> &fixes = parser->fixes;
        if (!has_locations || fixes.empty()) { return SL_MISSING; }
        if (is_too_large) { return SL_BATCH_TOO_LARGE; }
        for (sl_fix &fix : fixes) {
            if (fix.session_id.count == 0) { fix.session_id = record.session_id; }
            if (fix.trip_id.count == 0) { fix.trip_id = record.trip_id; }
            finish(fix);
        }
        result.fixes = fixes.data();
        result.count = fixes.size();
        return SL_OK;
    }
};

}  // namespace

extern "C" sl_status sl_read_raw(
    sl_parser *parser, const uint8_t *json, size_t count, sl_text driver_id, size_t maximum_fixes, sl_raw *result) {
    sl_status status = parser->copy(json, count);
    if (status != SL_OK) { return status; }
    raw_reader<sl::cursor> plain(parser, driver_id, maximum_fixes);
    status = plain.read(*result, [&](auto handle) { return sl::each_top_field(sl::cursor(*parser, count), handle); });
    result->is_plain = status != SL_MALFORMED;
    if (result->is_plain) { return status; }
    raw_reader<sl::ondemand::value> general(parser, driver_id, maximum_fixes);
    return general.read(*result, [&](auto handle) { return sl::each_top_field(parser, json, count, handle); });
}
