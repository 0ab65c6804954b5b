#include "scalars.hpp"

namespace {

using sl::ondemand::value;

struct builder {
    std::vector<sl_value> &values;
    sl_keep keeping;

    bool keeps(sl_key key) const {
        return keeping == SL_KEEP_ALL || (keeping == SL_KEEP_OPAQUE && (key == SL_KEY_CONTEXT || key == SL_KEY_FACTS));
    }

    sl_status add(sl_key key, value &value, int depth);
    sl_status object(sl::ondemand::object object, int depth);
    sl_status array(sl::ondemand::array array, int depth);
    sl_status container(size_t index, value &value, char opening, int depth);
    sl_status kept(sl_value &entry, value &value, char opening);
    sl_status scalar(sl_value &entry, value &value, std::string_view token);
};

sl_status builder::object(sl::ondemand::object object, int depth) {
    return sl::each_field(object, [this, depth](sl_key key, sl::ondemand::value &inner) {
        return key == SL_KEY_UNKNOWN ? sl::check(inner, depth + 1) : add(key, inner, depth + 1);
    });
}

sl_status builder::array(sl::ondemand::array array, int depth) {
    return sl::each_element(array, [this, depth](sl::ondemand::value &inner) {
        return add(SL_KEY_UNKNOWN, inner, depth + 1);
    });
}

/// Stores a value's JSON text without trailing white space.
void keep(sl_value &entry, std::string_view text) {
    while (sl::is_space(text.back())) { text.remove_suffix(1); }
    entry.is_kept = true;
    entry.start = reinterpret_cast<const uint8_t *>(text.data());
    entry.count = uint32_t(text.size());
}

/// Stores the JSON text of a container without parsing it.
sl_status builder::kept(sl_value &entry, value &value, char opening) {
    std::string_view text;
    simdjson::error_code error;
    if (opening == '{') {
        sl::ondemand::object object;
        error = value.get_object().get(object);
        if (!error) { error = object.raw_json().get(text); }
    } else {
        sl::ondemand::array array;
        error = value.get_array().get(array);
        if (!error) { error = array.raw_json().get(text); }
    }
    if (error || text.empty()) { return SL_MALFORMED; }
    keep(entry, text);
    return entry.start[entry.count - 1] == (opening == '{' ? '}' : ']') ? SL_OK : SL_MALFORMED;
}

/// Stores the JSON text of a scalar and validates it.
sl_status builder::scalar(sl_value &entry, value &value, std::string_view token) {
    entry.kind = token.front() == 'n' ? SL_NULL : SL_TEXT;
    keep(entry, token);
    return sl::check(value, 1);
}

sl_status builder::container(size_t index, value &value, char opening, int depth) {
    if (depth > sl::maximum_depth) { return SL_MALFORMED; }
    values[index].kind = opening == '{' ? SL_OBJECT : SL_ARRAY;
    if (keeps(values[index].key)) { return kept(values[index], value, opening); }
    sl_status status;
    if (opening == '{') {
        sl::ondemand::object object_value;
        if (value.get_object().get(object_value) != simdjson::SUCCESS) { return SL_MALFORMED; }
        status = object(object_value, depth);
    } else {
        sl::ondemand::array array_value;
        if (value.get_array().get(array_value) != simdjson::SUCCESS) { return SL_MALFORMED; }
        status = array(array_value, depth);
    }
    values[index].next = uint32_t(values.size() - index);
    return status;
}

/// Stores a number as an integer if it is written as a 64-bit integer, else as a double.
sl_status add_number(sl_value &entry, value &value) {
    int64_t integer;
    if (value.get_int64().get(integer) == simdjson::SUCCESS) {
        entry.kind = SL_INTEGER;
        entry.integer = integer;
        return SL_OK;
    }
    double number = 0;
    sl_status status = sl::read(value, number);
    entry.kind = SL_NUMBER;
    entry.number = number;
    if (status == SL_NOT_FINITE) { entry.number = __builtin_inf(); }
    return status == SL_OK || status == SL_NOT_FINITE ? SL_OK : SL_MALFORMED;
}

sl_status builder::add(sl_key key, value &value, int depth) {
    size_t index = values.size();
    values.push_back({{0}, 0, 1, key, SL_NULL, false});
    std::string_view token = value.raw_json_token();
    char first = token.empty() ? 0 : token.front();
    if (keeping == SL_KEEP_ALL && first != 0 && first != '{' && first != '[') {
        return scalar(values[index], value, token);
    }
    switch (first) {
        case '{':
        case '[': return container(index, value, first, depth);
        case '"': {
            sl_text text;
            sl_status status = sl::read(value, text);
            if (status != SL_OK) { return SL_MALFORMED; }
            values[index].kind = SL_TEXT;
            values[index].start = text.start;
            values[index].count = uint32_t(text.count);
            return SL_OK;
        }
        case 't':
        case 'f': {
            bool truth;
            if (value.get_bool().get(truth) != simdjson::SUCCESS) { return SL_MALFORMED; }
            values[index].kind = truth ? SL_TRUE : SL_FALSE;
            return SL_OK;
        }
        case 'n': return sl::check(value, depth);
        default: return add_number(values[index], value);
    }
}

}  // namespace

extern "C" sl_status sl_read_values(
    sl_parser *parser, const uint8_t *json, size_t count, sl_keep keep, const sl_value **result) {
    parser->values.clear();
    parser->values.push_back({{0}, 0, 1, SL_KEY_UNKNOWN, SL_OBJECT, false});
    builder builder{parser->values, keep};
    sl_status status = sl::each_top_field(parser, json, count, [&builder](sl_key key, value &value) {
        return key == SL_KEY_UNKNOWN ? sl::check(value, 1) : builder.add(key, value, 1);
    });
    parser->values[0].next = uint32_t(parser->values.size());
    *result = parser->values.data();
    return status;
}
