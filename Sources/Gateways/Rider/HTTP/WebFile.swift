import NIOCore

/// A file of the live map or of the JavaScript client, embedded in the program.
///
/// `WebFileTests` checks that ``all`` is complete.
struct WebFile: Sendable {
    /// The URL path without the leading slash.
    let path: String
    private let bytes: [UInt8]

    private init(_ path: String, _ bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    var content: ByteBuffer { ByteBuffer(bytes: bytes) }

    /// Media type, derived from the file name extension.
    var contentType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }

    static let all = map.map { WebFile("map/\($0)", $1) } + client.map { WebFile("clients/\($0)", $1) }

    private static let map: [(String, [UInt8])] = [
        ("camera.js", PackageResources.camera_js), ("connection-display.js", PackageResources.connection_display_js),
        ("driver-detail.js", PackageResources.driver_detail_js), ("elements.js", PackageResources.elements_js),
        ("fleet-list.js", PackageResources.fleet_list_js), ("geo.js", PackageResources.geo_js),
        ("gestures.js", PackageResources.gestures_js), ("icon.svg", PackageResources.icon_svg),
        ("layer-streets.js", PackageResources.layer_streets_js), ("layer-tiles.js", PackageResources.layer_tiles_js),
        ("layer-trail.js", PackageResources.layer_trail_js), ("layer-trip.js", PackageResources.layer_trip_js),
        ("layer-vehicles.js", PackageResources.layer_vehicles_js), ("list.css", PackageResources.list_css),
        ("map-canvas.js", PackageResources.map_canvas_js), ("map.css", PackageResources.map_css),
        ("map.html", PackageResources.map_html), ("map.js", PackageResources.map_js),
        ("motion.js", PackageResources.motion_js), ("polyline.js", PackageResources.polyline_js),
        ("shapes.js", PackageResources.shapes_js), ("sheet.js", PackageResources.sheet_js),
        ("theme.css", PackageResources.theme_css), ("theme.js", PackageResources.theme_js),
        ("trip-card.js", PackageResources.trip_card_js), ("trip-model.js", PackageResources.trip_model_js),
        ("trip.css", PackageResources.trip_css), ("view-fleet.js", PackageResources.view_fleet_js),
        ("view-route.js", PackageResources.view_route_js), ("view-trip.js", PackageResources.view_trip_js),
        ("words.js", PackageResources.words_js),
    ]

    private static let client: [(String, [UInt8])] = [
        ("sightline/acknowledger.js", PackageResources.acknowledger_js),
        ("sightline/connection.js", PackageResources.connection_js),
        ("sightline/errors.js", PackageResources.errors_js), ("sightline/event-id.js", PackageResources.event_id_js),
        ("sightline/http.js", PackageResources.http_js), ("sightline/poller.js", PackageResources.poller_js),
        ("sightline/settings.js", PackageResources.settings_js),
        ("sightline/subscription.js", PackageResources.subscription_js),
        ("sightline/timers.js", PackageResources.timers_js), ("sightline.js", PackageResources.sightline_js),
    ]
}
