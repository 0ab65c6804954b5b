#include <cmath>

#include "content_hash.hpp"
#include "scalars.hpp"

namespace {

constexpr int64_t last_millisecond = 253402300799999;  // 9999-12-31T23:59:59.999Z

// Thresholds that select a number's unit (docs/decisions/0027-accepted-spellings.md).
constexpr double first_milliseconds = 1e11;  // 1973-03-03T09:46:40Z; as seconds the year 5138
constexpr double first_unix_seconds = 1.4e9;  // 2014-05-13T16:53:20Z; as seconds since 2001 the year 2045
constexpr int64_t reference_date_milliseconds = 978307200000;  // 2001-01-01T00:00:00Z

/// Returns the days since 1970-01-01 in the proleptic Gregorian calendar, counting years from March.
/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil. `CivilDate` in Swift is the inverse.
int64_t days_from_civil(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    int64_t era = year / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

int days_in_month(int year, int month) {
    constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

struct time_parser {
    const uint8_t *next, *end;

    bool number(int width, int &result) {
        if (end - next < width) { return false; }
        result = 0;
        for (int index = 0; index < width; index++) {
            uint8_t digit = uint8_t(next[index] - '0');
            if (digit > 9) { return false; }
            result = result * 10 + digit;
        }
        next += width;
        return true;
    }

    bool skip(char character) {
        if (next == end || *next != uint8_t(character)) { return false; }
        next++;
        return true;
    }

    int milliseconds() {
        int result = 0, scale = 100;
        for (; next < end && uint8_t(*next - '0') <= 9; next++, scale /= 10) { result += (*next - '0') * scale; }
        return result;
    }

    /// Reads `Z`, `±hh`, `±hhmm` or `±hh:mm` up to the end of the text.
    bool offset(int &minutes) {
        minutes = 0;
        if (skip('Z') || skip('z')) { return next == end; }
        bool negative = next < end && *next == '-';
        if (!skip('+') && !skip('-')) { return false; }
        int hour, minute = 0;
        if (!number(2, hour)) { return false; }
        if (next < end) {
            skip(':');
            if (!number(2, minute)) { return false; }
        }
        minutes = (hour * 60 + minute) * (negative ? -1 : 1);
        return next == end && hour <= 23 && minute <= 59;
    }
};

struct moment {
    int year, month, day, hour, minute, second, fraction = 0, offset = 0;

    /// Checks the ranges and converts to milliseconds since 1970; a leap second (60) becomes the next minute's first.
    bool convert(int64_t &milliseconds) const {
        bool is_date = month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
        if (!is_date || hour > 23 || minute > 59 || second > 60) { return false; }
        int64_t seconds = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset * 60;
        milliseconds = seconds * 1000 + fraction;
        return milliseconds >= 0 && milliseconds <= last_millisecond;
    }
};

}  // namespace

extern "C" bool sl_parse_time(const uint8_t *text, size_t count, int64_t *milliseconds) {
    moment moment = {};
    time_parser parser{text, text + count};
    if (!parser.number(4, moment.year) || !parser.skip('-') || !parser.number(2, moment.month) || !parser.skip('-')
        || !parser.number(2, moment.day)) {
        return false;
    }
    if (!parser.skip('T') && !parser.skip('t') && !parser.skip(' ')) { return false; }
    if (!parser.number(2, moment.hour) || !parser.skip(':') || !parser.number(2, moment.minute) || !parser.skip(':')
        || !parser.number(2, moment.second)) {
        return false;
    }
    if (parser.skip('.') || parser.skip(',')) {
        const uint8_t *start = parser.next;
        moment.fraction = parser.milliseconds();
        if (parser.next == start) { return false; }
    }
    return parser.offset(moment.offset) && moment.convert(*milliseconds);
}

sl_status sl::read_time(ondemand::value &value, int64_t &milliseconds) {
    sl_text text;
    sl_status status = read(value, text);
    if (status == SL_OK) { return time_of(text, milliseconds); }
    if (status != SL_WRONG_TYPE) { return status; }
    double number;
    return read_any_number(value, number) ? time_of(number, milliseconds) : SL_WRONG_TYPE;
}

sl_status sl::time_of(sl_text text, int64_t &milliseconds) {
    return sl_parse_time(text.start, text.count, &milliseconds) ? SL_OK : SL_INVALID_TIMESTAMP;
}

sl_status sl::time_of(double number, int64_t &milliseconds) {
    if (!(number >= 0 && number <= double(last_millisecond))) { return SL_OUT_OF_RANGE; }
    if (number >= first_milliseconds) {
        milliseconds = int64_t(number);
        return SL_OK;
    }
    // Decimal fractions are rarely exact in binary: 0.123 s would become 122 ms if truncated.
    milliseconds = std::llround(number * 1000);
    if (number < first_unix_seconds) { milliseconds += reference_date_milliseconds; }
    return SL_OK;
}

extern "C" bool sl_time_of_number(double number, int64_t *milliseconds) {
    return sl::time_of(number, *milliseconds) == SL_OK;
}

extern "C" uint64_t sl_hash(const uint8_t *text, size_t count) {
    uint64_t hash = 0x9E3779B97F4A7C15u ^ count;
    size_t index = 0;
    for (; index + 8 <= count; index += 8) { hash = sl::mix(hash, sl::load64(text + index)); }
    uint64_t rest = 0;
    for (size_t tail = index; tail < count; tail++) { rest |= uint64_t(text[tail]) << (8 * (tail - index)); }
    hash = sl::mix(hash, rest);
    return hash == 0 ? 1 : hash;
}
