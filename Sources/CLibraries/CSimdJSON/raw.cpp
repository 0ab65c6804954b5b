#include <cmath>

#include "content_hash.hpp"
#include "cursor.hpp"
#include "details.hpp"
#include "words.hpp"

// A value outside these ranges makes the fix unreadable. The ranges are wide, because spoof detection evaluates
// implausible speeds and accuracies.

namespace {

constexpr double maximum_accuracy_meters = 1e8;
constexpr double maximum_speed_mps = 1e6;
constexpr double maximum_heading = 36000;
constexpr double maximum_altitude_meters = 1e7;
constexpr double maximum_occupancy_percent = 1000;  // over 100 if passengers stand
constexpr size_t maximum_id_bytes = 128;

enum class record_type : uint8_t { none, single, batch, unknown };

/// One element of a batch, or the record itself: the fix and the members around it.
struct element {
    sl_fix *fix = nullptr;
    bool is_record = false;  // the record itself, not an element of a batch
    bool has_payload_time = false;
    record_type type = record_type::none;
    sl_status type_status = SL_OK;  // the fault if the type is unknown
    uint64_t message_hash = 0;      // hash of the message's id; 0 if absent
};

bool has_position(const sl_fix &fix) { return fix.present & (SL_FIX_LATITUDE | SL_FIX_LONGITUDE); }

void fail(sl_fix &fix, sl_status status, sl_key key) {
    if (fix.status != SL_OK) { return; }
    fix.status = status;
    fix.status_key = key;
}

/// Records the fault of a field; returns SL_MALFORMED, which ends the reading, for malformed JSON only, else SL_OK.
sl_status record_fault(sl_fix &fix, sl_status status, sl_key key) {
    if (status == SL_MALFORMED) { return SL_MALFORMED; }
    if (status != SL_OK && status != SL_EMPTY) { fail(fix, status, key); }
    return SL_OK;
}

/// Checks the required fields and computes the hashes.
void finish(sl_fix &fix) {
    if (!(fix.present & SL_FIX_LATITUDE)) { fail(fix, SL_MISSING, SL_KEY_LATITUDE); }
    if (!(fix.present & SL_FIX_LONGITUDE)) { fail(fix, SL_MISSING, SL_KEY_LONGITUDE); }
    if (!(fix.present & (SL_FIX_DEVICE_TIME | SL_FIX_SEQUENCE))) { fail(fix, SL_MISSING, SL_KEY_TIMESTAMP); }
    if (fix.status != SL_OK) { return; }
    fix.content_hash = sl::content_hash(fix);
    fix.session_hash = fix.session_id.count == 0 ? 0 : sl_hash(fix.session_id.start, fix.session_id.count);
}

/// Reader of a record from simdjson's values or with a cursor (plain form), with equal results.
template <typename Value>
class raw_reader {
  public:
    raw_reader(sl_parser *parser, sl_text driver_id, size_t maximum_fixes)
        : parser(parser), driver_id(driver_id), maximum_fixes(maximum_fixes) {}

    /// Reads the record; `each_top_field` calls its argument for every field of the record.
    template <typename EachTopField>
    sl_status read(sl_raw &result, EachTopField each_top_field) {
        result = {nullptr, 0, false, false, SL_KEY_UNKNOWN};
        sl_fix &record = parser->single;
        record = {};
        parser->fixes.clear();
        element element{&record, true};
        sl_status status = each_top_field([&](sl_key key, Value &value) { return field(element, key, value, false); });
        if (status != SL_OK) { return status; }
        if (element.type == record_type::unknown) {
            result.key = SL_KEY_TYPE;
            return element.type_status;
        }
        // A record with locations and without a position is a batch, even if its type is that of a single location.
        if (element.type == record_type::batch || (has_locations && !has_position(record))) {
            return finish_batch(record, result);
        }
        // The type is optional: records that the mobile app has stored have none.
        if (record.identity_hash == 0) { record.identity_hash = element.message_hash; }
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

    /// Reads a number within [minimum, maximum] into `target`; null and faults leave `bit` unset.
    inline sl_status number(
        sl_fix &fix, sl_key key, Value &value, uint32_t bit, double minimum, double maximum, double &target) {
        double number = 0;
        sl_status status = sl::read(value, number);
        fix.present &= ~bit;
        if (simdjson_unlikely(status != SL_OK)) { return record_fault(fix, status, key); }
        if (simdjson_unlikely(!(number >= minimum && number <= maximum))) {
            fail(fix, SL_OUT_OF_RANGE, key);
            return SL_OK;
        }
        target = number + 0.0;  // -0 becomes 0
        fix.present |= bit;
        return SL_OK;
    }

    /// Reads a number in [-maximum, maximum] like `number`; a negative one means unknown, as on iOS.
    inline sl_status non_negative(sl_fix &fix, sl_key key, Value &value, uint32_t bit, double maximum, double &target) {
        double number_read = 0;
        sl_status status = number(fix, key, value, bit, -maximum, maximum, number_read);
        if (number_read < 0) { fix.present &= ~bit; }
        target = number_read;
        return status;
    }

    /// Reads a percentage; multiplies values up to 1 by `scale`.
    sl_status percent(
        sl_fix &fix, sl_key key, Value &value, uint32_t bit, double maximum, double scale, int16_t &target) {
        double read = 0;
        sl_status status = non_negative(fix, key, value, bit, maximum, read);
        if (fix.present & bit) { target = int16_t(std::lround(read <= 1 ? read * scale : read)); }
        return status;
    }

    sl_status accuracy(sl_fix &fix, sl_key key, Value &value) {
        double read = 0;
        sl_status status = non_negative(fix, key, value, SL_FIX_ACCURACY, maximum_accuracy_meters, read);
        fix.present &= ~uint32_t(SL_FIX_ZERO_ACCURACY | SL_FIX_NEGATIVE_ACCURACY);
        // On iOS a negative accuracy marks the position as invalid.
        if (status == SL_OK && read < 0) { fix.present |= SL_FIX_NEGATIVE_ACCURACY; }
        if ((fix.present & SL_FIX_ACCURACY) && read == 0) {
            fix.present = (fix.present & ~uint32_t(SL_FIX_ACCURACY)) | SL_FIX_ZERO_ACCURACY;
        }
        fix.accuracy_meters = read;
        return status;
    }

    sl_status heading(sl_fix &fix, sl_key key, Value &value) {
        double read = 0;
        sl_status status = non_negative(fix, key, value, SL_FIX_HEADING, maximum_heading, read);
        fix.heading = read >= 360 ? std::fmod(read, 360) : read;
        return status;
    }

    sl_status identifier(sl_fix &fix, sl_key key, Value &value, sl_text &target) {
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        bool is_valid = text.count <= maximum_id_bytes && !sl::has_control_characters(value, text);
        if (status == SL_OK && !is_valid) { status = SL_INVALID_ID; }
        target = status == SL_OK ? text : sl_text{nullptr, 0};
        return record_fault(fix, status, key);
    }

    sl_status source(sl_fix &fix, Value &value) {
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        fix.source = status == SL_OK ? sl::source_of(text) : uint8_t(SL_SOURCE_UNKNOWN);
        return record_fault(fix, status, SL_KEY_SOURCE);
    }

    sl_status integrity(sl_fix &fix, Value &value) {
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        fix.integrity = status == SL_OK ? sl::integrity_of(text) : uint8_t(SL_INTEGRITY_UNKNOWN);
        return record_fault(fix, status, SL_KEY_INTEGRITY);
    }

    /// Reads a time. A time in the payload is the time of the fix and has precedence; a time outside the payload is the
    /// time of sending, which may be hours later.
    sl_status device_time(element &element, Value &value, bool inside_payload) {
        sl_fix &fix = *element.fix;
        int64_t milliseconds = 0;
        sl_status status = sl::read_time(value, milliseconds);
        if (simdjson_likely(inside_payload || !element.has_payload_time)) {
            fix.device_ms = milliseconds;
            fix.present =
                status == SL_OK ? fix.present | SL_FIX_DEVICE_TIME : fix.present & ~uint32_t(SL_FIX_DEVICE_TIME);
            element.has_payload_time = inside_payload && status == SL_OK;
        }
        return record_fault(fix, status, SL_KEY_TIMESTAMP);
    }

    /// Hashes an id that is text; an id of another type may not be unique and is ignored.
    sl_status identity(Value &value, uint64_t &hash) {
        hash = 0;
        if (sl::first_byte(value) != '"') { return sl::check(value, 2); }
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        if (status == SL_OK && text.count > 0) { hash = sl_hash(text.start, text.count); }
        return status;
    }

    sl_status sequence(sl_fix &fix, Value &value) {
        sl_status status = sl::read(value, fix.sequence);
        fix.present &= ~uint32_t(SL_FIX_SEQUENCE);
        if (status == SL_OK && fix.sequence < 0) { status = SL_OUT_OF_RANGE; }
        if (status == SL_OK) { fix.present |= SL_FIX_SEQUENCE; }
        return record_fault(fix, status, SL_KEY_SEQUENCE);
    }

    sl_status driver(sl_fix &fix, sl_key key, Value &value, sl_text expected) {
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        if (status == SL_OK
            && (text.count != expected.count || std::memcmp(text.start, expected.start, text.count) != 0)) {
            status = SL_KEY_MISMATCH;
        }
        return record_fault(fix, status, key);
    }

    sl_status type(element &element, Value &value) {
        sl_text text = {nullptr, 0};
        sl_status status = sl::read(value, text);
        if (status != SL_OK) { return record_fault(*element.fix, status, SL_KEY_TYPE); }
        if (sl::is_word(text, "location") || sl::is_word(text, "location_update")) {
            element.type = record_type::single;
        } else if (sl::is_word(text, "location_batch")) {
            element.type = record_type::batch;
        } else {
            element.type = record_type::unknown;
            element.type_status = sl::status_of_type(text);
        }
        return SL_OK;
    }

    /// Reads the fields of an object with `handle`; ignores null, and records a value of another type as a fault.
    template <typename Handler>
    sl_status nested(sl_fix &fix, sl_key key, Value &value, Handler handle) {
        return record_fault(fix, sl::each_field(value, handle), key);
    }

    sl_status coordinate_field(sl_fix &fix, sl_key key, Value &value) {
        switch (key) {
            case SL_KEY_LATITUDE:
            case SL_KEY_LAT: return number(fix, key, value, SL_FIX_LATITUDE, -90, 90, fix.latitude);
            case SL_KEY_LONGITUDE:
            case SL_KEY_LNG: return number(fix, key, value, SL_FIX_LONGITUDE, -180, 180, fix.longitude);
            case SL_KEY_HEADING: return heading(fix, key, value);
            case SL_KEY_SPEED:
            case SL_KEY_SPEED_MPS:
            case SL_KEY_SPEED_MPS_CAMEL:
                return non_negative(fix, key, value, SL_FIX_SPEED, maximum_speed_mps, fix.speed_mps);
            case SL_KEY_ALTITUDE:
            case SL_KEY_ALTITUDE_METERS:
            case SL_KEY_ALTITUDE_METERS_CAMEL:
                return number(
                    fix, key, value, SL_FIX_ALTITUDE, -maximum_altitude_meters, maximum_altitude_meters,
                    fix.altitude_meters);
            default: return sl::check(value, 2);
        }
    }

    sl_status device_field(sl_fix &fix, sl_key key, Value &value) {
        switch (key) {
            case SL_KEY_ACCURACY_METERS:
            case SL_KEY_ACCURACY_METERS_CAMEL: return accuracy(fix, key, value);
            case SL_KEY_SOURCE: return source(fix, value);
            case SL_KEY_INTEGRITY: return integrity(fix, value);
            case SL_KEY_BATTERY_PERCENT:
            case SL_KEY_BATTERY_PERCENT_CAMEL:
                return percent(fix, key, value, SL_FIX_BATTERY, 100, 1, fix.battery_percent);
            case SL_KEY_OCCUPANCY_PERCENT:
            case SL_KEY_OCCUPANCY_PERCENT_CAMEL:
                return percent(fix, key, value, SL_FIX_OCCUPANCY, maximum_occupancy_percent, 1, fix.occupancy_percent);
            case SL_KEY_IS_MOCK:
            case SL_KEY_IS_MOCK_CAMEL: {
                fix.is_mock = false;
                sl_status status = sl::read(value, fix.is_mock);
                fix.present = status == SL_OK ? fix.present | SL_FIX_MOCK : fix.present & ~uint32_t(SL_FIX_MOCK);
                return record_fault(fix, status, key);
            }
            default:
                return sl::is_detail(key) ? record_fault(fix, sl::read_detail(fix, key, value, 1), key)
                                          : coordinate_field(fix, key, value);
        }
    }

    sl_status field(element &element, sl_key key, Value &value, bool inside_payload) {
        sl_fix &fix = *element.fix;
        switch (key) {
            case SL_KEY_TYPE: return inside_payload ? sl::check(value, 1) : type(element, value);
            case SL_KEY_DRIVER_ID:
            case SL_KEY_DRIVER_ID_CAMEL: return driver(fix, key, value, driver_id);
            case SL_KEY_SESSION_ID:
            case SL_KEY_SESSION_ID_CAMEL: return identifier(fix, key, value, fix.session_id);
            case SL_KEY_TRIP_ID:
            case SL_KEY_TRIP_ID_CAMEL: return identifier(fix, key, value, fix.trip_id);
            case SL_KEY_SEQUENCE: return sequence(fix, value);
            case SL_KEY_TIMESTAMP: return device_time(element, value, inside_payload);
            case SL_KEY_ID: return identity(value, fix.identity_hash);
            case SL_KEY_MESSAGE_ID:
            case SL_KEY_MESSAGE_ID_CAMEL: return identity(value, element.message_hash);
            case SL_KEY_PAYLOAD: {
                if (inside_payload) { return sl::check(value, 1); }
                return nested(fix, key, value, [&](sl_key inner, Value &nested_value) {
                    return field(element, inner, nested_value, true);
                });
            }
            case SL_KEY_LOCATIONS: return element.is_record ? locations(value, fix) : sl::check(value, 1);
            case SL_KEY_COORDINATE:
            case SL_KEY_LAT_LNG:
                return nested(fix, key, value, [&](sl_key inner, Value &nested_value) {
                    return coordinate_field(fix, inner, nested_value);
                });
            case SL_KEY_ACCURACY:
                // The mobile app writes a number in its messages and an object in its stored records.
                if (char first = sl::first_byte(value); first != '{' && first != 'n') {
                    return accuracy(fix, key, value);
                }
                return nested(fix, key, value, [&](sl_key inner, Value &nested_value) {
                    return inner == SL_KEY_HORIZONTAL
                               ? accuracy(fix, inner, nested_value)
                               : record_fault(fix, sl::read_detail(fix, inner, nested_value, 2), inner);
                });
            case SL_KEY_METADATA:
                // The mobile app's format has a fraction of 1, but some apps send percent.
                return nested(fix, key, value, [&](sl_key inner, Value &nested_value) {
                    return inner == SL_KEY_BATTERY_LEVEL
                               ? percent(fix, inner, nested_value, SL_FIX_BATTERY, 100, 100, fix.battery_percent)
                               : record_fault(fix, sl::read_detail(fix, inner, nested_value, 2), inner);
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
        element element;
        element.fix = &fix;
        sl_status status = nested(fix, SL_KEY_LOCATIONS, value, [&](sl_key key, Value &inner) {
            return field(element, key, inner, false);
        });
        if (status != SL_OK) { return status; }
        if (element.type == record_type::batch || element.type == record_type::unknown) {
            fix.status = SL_OK;
            fail(fix, element.type == record_type::batch ? SL_UNKNOWN_TYPE : element.type_status, SL_KEY_TYPE);
        }
        if (fix.identity_hash == 0) { fix.identity_hash = element.message_hash; }
        parser->fixes.push_back(fix);
        return SL_OK;
    }

    sl_status locations(Value &value, sl_fix &fix) {
        parser->fixes.clear();
        is_too_large = false;
        sl_status status = sl::each_element(value, [this](Value &element) { return location(element); });
        has_locations = status == SL_OK;
        return record_fault(fix, status, SL_KEY_LOCATIONS);
    }

    /// Completes the fixes of a batch; returns the fault of the batch itself, as each fix has its own status.
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
