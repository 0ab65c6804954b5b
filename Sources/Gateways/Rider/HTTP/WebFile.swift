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

    /// Derived from the file name extension.
    var contentType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }

    static let all: [WebFile] = [
        WebFile("map/camera.js", PackageResources.camera_js),
        WebFile("map/connection-display.js", PackageResources.connection_display_js),
        WebFile("map/driver-detail.js", PackageResources.driver_detail_js),
        WebFile("map/elements.js", PackageResources.elements_js),
        WebFile("map/fleet-list.js", PackageResources.fleet_list_js),
        WebFile("map/geo.js", PackageResources.geo_js),
        WebFile("map/gestures.js", PackageResources.gestures_js),
        WebFile("map/icon.svg", PackageResources.icon_svg),
        WebFile("map/layer-streets.js", PackageResources.layer_streets_js),
        WebFile("map/layer-tiles.js", PackageResources.layer_tiles_js),
        WebFile("map/layer-trail.js", PackageResources.layer_trail_js),
        WebFile("map/layer-trip.js", PackageResources.layer_trip_js),
        WebFile("map/layer-vehicles.js", PackageResources.layer_vehicles_js),
        WebFile("map/list.css", PackageResources.list_css),
        WebFile("map/map-canvas.js", PackageResources.map_canvas_js),
        WebFile("map/map.css", PackageResources.map_css),
        WebFile("map/map.html", PackageResources.map_html),
        WebFile("map/map.js", PackageResources.map_js),
        WebFile("map/motion.js", PackageResources.motion_js),
        WebFile("map/polyline.js", PackageResources.polyline_js),
        WebFile("map/shapes.js", PackageResources.shapes_js),
        WebFile("map/sheet.js", PackageResources.sheet_js),
        WebFile("map/theme.css", PackageResources.theme_css),
        WebFile("map/theme.js", PackageResources.theme_js),
        WebFile("map/trip-card.js", PackageResources.trip_card_js),
        WebFile("map/trip-model.js", PackageResources.trip_model_js),
        WebFile("map/trip.css", PackageResources.trip_css),
        WebFile("map/view-fleet.js", PackageResources.view_fleet_js),
        WebFile("map/view-route.js", PackageResources.view_route_js),
        WebFile("map/view-trip.js", PackageResources.view_trip_js),
        WebFile("map/words.js", PackageResources.words_js),
        WebFile("clients/sightline/acknowledger.js", PackageResources.acknowledger_js),
        WebFile("clients/sightline/connection.js", PackageResources.connection_js),
        WebFile("clients/sightline/errors.js", PackageResources.errors_js),
        WebFile("clients/sightline/event-id.js", PackageResources.event_id_js),
        WebFile("clients/sightline/http.js", PackageResources.http_js),
        WebFile("clients/sightline/poller.js", PackageResources.poller_js),
        WebFile("clients/sightline/settings.js", PackageResources.settings_js),
        WebFile("clients/sightline/subscription.js", PackageResources.subscription_js),
        WebFile("clients/sightline/timers.js", PackageResources.timers_js),
        WebFile("clients/sightline.js", PackageResources.sightline_js),
    ]
}
