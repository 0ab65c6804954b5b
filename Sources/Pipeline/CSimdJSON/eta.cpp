#include "written.hpp"

namespace {

using reader = sl::written_reader;

bool identity(reader &reader, sl_eta &eta) {
    if (!reader.skip("{\"event_id\":") || !reader.text(eta.event_id)) { return false; }
    if (!reader.skip(",\"trip_id\":") || !reader.identifier(eta.trip_id)) { return false; }
    if (!reader.skip(",\"driver_id\":") || !reader.identifier(eta.driver_id)) { return false; }
    if (!reader.name_if(",\"rider_id\":", eta.rider_id)) { return false; }
    if (!reader.skip(",\"kind\":") || !reader.text(eta.kind)) { return false; }
    if (reader.skip(",\"route_id\":") && !reader.identifier(eta.route_id)) { return false; }
    if (!reader.skip(",\"state\":") || !reader.text(eta.state)) { return false; }
    return reader.integer_if(",\"version\":", eta.present, SL_ETA_VERSION, eta.version)
        && reader.skip(",\"computed_at\":") && reader.time(eta.computed_ms);
}

bool position(reader &reader, sl_eta &eta) {
    if (!reader.skip(",\"position\":{\"latitude\":")) { return true; }
    if (!reader.number(eta.latitude, 90)) { return false; }
    if (!reader.skip(",\"longitude\":") || !reader.number(eta.longitude, 180)) { return false; }
    if (!reader.number_if(",\"heading\":", eta.present, SL_ETA_HEADING, eta.heading)) { return false; }
    eta.present |= SL_ETA_POSITION;
    return reader.skip(",\"speed_mps\":") && reader.number(eta.speed_mps) && reader.skip(",\"accuracy_meters\":")
        && reader.number(eta.accuracy_meters) && reader.skip(",\"fixed_at\":") && reader.time(eta.fixed_ms)
        && reader.skip("}");
}

bool progress(reader &reader, sl_eta &eta) {
    uint32_t &present = eta.present;
    return reader.number_if(",\"progress_meters\":", present, SL_ETA_PROGRESS, eta.progress_meters)
        && reader.skip(",\"off_route\":") && reader.boolean(eta.is_off_route)
        && reader.number_if(",\"off_route_meters\":", present, SL_ETA_OFF_ROUTE, eta.off_route_meters)
        && reader.skip(",\"is_halted\":") && reader.boolean(eta.is_halted)
        && reader.skip(",\"is_stale\":") && reader.boolean(eta.is_stale)
        && reader.skip(",\"traffic_conditions\":") && reader.text(eta.traffic)
        && reader.integer_if(",\"occupancy_percent\":", present, SL_ETA_OCCUPANCY, eta.occupancy_percent)
        && reader.name_if(",\"detected_arrival\":", eta.detected_arrival)
        && reader.name_if(",\"next_stop_id\":", eta.next_stop_id)
        && reader.name_if(",\"passed_stop_id\":", eta.passed_stop_id)
        && reader.time_if(",\"passed_at\":", present, SL_ETA_PASSED_AT, eta.passed_ms)
        && reader.name_if(",\"last_stop_id\":", eta.last_stop_id);
}

bool stop(reader &reader, sl_eta_stop &stop) {
    uint32_t &present = stop.present;
    return reader.skip("{\"stop_id\":") && reader.name(stop.id) && reader.skip(",\"kind\":") && reader.text(stop.kind)
        && reader.skip(",\"status\":") && reader.text(stop.status)
        && reader.integer_if(",\"seconds\":", present, SL_ETA_STOP_SECONDS, stop.seconds)
        && reader.integer_if(",\"min_seconds\":", present, SL_ETA_STOP_MIN_SECONDS, stop.min_seconds)
        && reader.integer_if(",\"max_seconds\":", present, SL_ETA_STOP_MAX_SECONDS, stop.max_seconds)
        && reader.text_if(",\"confidence\":", stop.confidence)
        && reader.number_if(",\"distance_meters\":", present, SL_ETA_STOP_DISTANCE, stop.distance_meters)
        && reader.time_if(",\"arrives_at\":", present, SL_ETA_STOP_ARRIVES_AT, stop.arrives_ms)
        && reader.time_if(",\"scheduled_at\":", present, SL_ETA_STOP_SCHEDULED_AT, stop.scheduled_ms)
        && reader.integer_if(",\"delay_seconds\":", present, SL_ETA_STOP_DELAY_SECONDS, stop.delay_seconds)
        && reader.skip(",\"delay\":") && reader.text(stop.delay) && reader.skip("}");
}

bool stops(reader &reader, std::vector<sl_eta_stop> &stops) {
    stops.clear();
    if (!reader.skip(",\"stops\":[")) { return false; }
    if (reader.skip("]")) { return true; }
    do {
        stops.push_back({});
        if (!stop(reader, stops.back())) { return false; }
    } while (reader.skip(","));
    return reader.skip("]");
}

bool distances(reader &reader, sl_eta &eta) {
    return reader.number_if(",\"driven_meters\":", eta.present, SL_ETA_DRIVEN, eta.driven_meters)
        && reader.number_if(",\"snapped_meters\":", eta.present, SL_ETA_SNAPPED, eta.snapped_meters)
        && reader.number_if(",\"planned_meters\":", eta.present, SL_ETA_PLANNED, eta.planned_meters);
}

}  // namespace

extern "C" bool sl_read_written_eta(sl_parser *parser, const uint8_t *json, size_t count, sl_eta *result) {
    if (parser->copy(json, count) != SL_OK) { return false; }
    *result = {};
    reader reader(*parser, count);
    // Changes of a trip and fare checks are seldom, and left to the general reader.
    bool is_read = identity(reader, *result) && position(reader, *result) && progress(reader, *result)
        && stops(reader, parser->stops) && distances(reader, *result) && reader.skip("}");
    result->stops = parser->stops.data();
    result->stop_count = parser->stops.size();
    return is_read && reader.is_at_end();
}
