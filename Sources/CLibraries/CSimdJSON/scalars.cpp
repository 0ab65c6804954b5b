#include "scalars.hpp"

#include <cmath>

namespace {

std::string_view token_of(sl::ondemand::value &value) {
    std::string_view token = value.raw_json_token();
    while (!token.empty() && sl::is_space(token.back())) { token.remove_suffix(1); }
    return token;
}

}  // namespace

double sl::nearest_quotient(uint64_t dividend, uint64_t divisor) {
    int left = __builtin_clzll(dividend), right = __builtin_clzll(divisor);
    // With both highest bits set, the quotient has 62 or 63 bits, more than a double holds. A remainder sets the last
    // bit, so that the conversion rounds as it would round the exact quotient.
    auto scaled = static_cast<unsigned __int128>(dividend << left) << 62;
    uint64_t aligned = divisor << right;
    auto quotient = uint64_t(scaled / aligned);
    bool is_exact = static_cast<unsigned __int128>(quotient) * aligned == scaled;
    return std::ldexp(double(int64_t(quotient | (is_exact ? 0 : 1))), right - left - 62);
}

bool sl::is_number(std::string_view text) {
    size_t index = 0;
    auto digits = [&] {
        size_t start = index;
        while (index < text.size() && text[index] >= '0' && text[index] <= '9') { index++; }
        return index - start;
    };
    if (index < text.size() && text[index] == '-') { index++; }
    bool leading_zero = index < text.size() && text[index] == '0';
    size_t whole = digits();
    if (whole == 0 || (leading_zero && whole > 1)) { return false; }
    if (index < text.size() && text[index] == '.') {
        index++;
        if (digits() == 0) { return false; }
    }
    if (index < text.size() && (text[index] == 'e' || text[index] == 'E')) {
        index++;
        if (index < text.size() && (text[index] == '+' || text[index] == '-')) { index++; }
        if (digits() == 0) { return false; }
    }
    return index == text.size();
}

bool sl::read_any_number(ondemand::value &value, double &result) {
    // simdjson 3.0.1 misreads numbers such as 0.90215989530176281234: if the first digit is 0, it does not detect that
    // the following digits overflow a word. Its slower parser for long numbers is correct.
    std::string_view token = token_of(value);
    if (token.size() < 20) { return value.get_double().get(result) == simdjson::SUCCESS; }
    if (!is_number(token)) { return false; }
    result = simdjson::internal::from_chars(token.data(), token.data() + token.size());
    return std::isfinite(result);
}

bool sl::has_control_characters(const ondemand::value &, sl_text text) {
    bool found = false;
    for (size_t index = 0; index < text.count; index++) {
        found |= text.start[index] < 0x20 || text.start[index] == 0x7F;
    }
    return found;
}

sl_status sl::check(ondemand::value &value, int depth) {
    if (depth > maximum_depth) { return SL_MALFORMED; }
    std::string_view token = token_of(value);
    switch (token.empty() ? 0 : token.front()) {
        case '{': {
            ondemand::object object;
            if (value.get_object().get(object) != simdjson::SUCCESS) { return SL_MALFORMED; }
            return each_field(object, [depth](sl_key, ondemand::value &inner) { return check(inner, depth + 1); });
        }
        case '[': {
            ondemand::array array;
            if (value.get_array().get(array) != simdjson::SUCCESS) { return SL_MALFORMED; }
            return each_element(array, [depth](ondemand::value &inner) { return check(inner, depth + 1); });
        }
        case '"': {
            sl_text unused;
            return read(value, unused);
        }
        case 'n': return token == "null" ? SL_OK : SL_MALFORMED;
        case 't': return token == "true" ? SL_OK : SL_MALFORMED;
        case 'f': return token == "false" ? SL_OK : SL_MALFORMED;
        default: {
            double number;
            return is_number(token) && read_any_number(value, number) ? SL_OK : SL_MALFORMED;
        }
    }
}

sl_status sl::mismatch(ondemand::value &value, int depth) {
    std::string_view token = token_of(value);
    if (token == "null") { return SL_EMPTY; }
    if (token == "NaN" || token == "Infinity" || token == "-Infinity" || token == "-NaN") { return SL_NOT_FINITE; }
    if (!token.empty() && (token.front() == '-' || (token.front() >= '0' && token.front() <= '9'))) {
        if (!is_number(token)) { return SL_MALFORMED; }
        double number;
        return read_any_number(value, number) ? SL_WRONG_TYPE : SL_NOT_FINITE;
    }
    sl_status status = check(value, depth);
    return status == SL_OK ? SL_WRONG_TYPE : status;
}
