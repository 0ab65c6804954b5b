/// Plan of a trip: route, positions of the stops on it, and planned time of each leg.
///
/// Leg `k` leads to stop `k`, from stop `k - 1` or, for the first stop, from the start of the route.
package final class TripPlan: Sendable {
    package let kind: TripMessage.Kind
    package let stops: [TripMessage.Stop]
    /// Geometry of the route; without a usable route `nil`, and distances are straight lines × the detour factor.
    package let geometry: RouteGeometry?
    /// Position of each stop along the route (or the straight lines × the detour factor), in metres, ascending.
    package let offsets: [Double]
    /// Length of the leg to each stop, in metres.
    package let legMeters: [Double]
    /// Planned driving time of the leg to each stop, in seconds; a time from a timetable includes dwell times.
    package let legSeconds: [Double]
    let pieces: LegPieces
    /// Planned dwell at each stop, in seconds; 0 if the timetable includes it.
    package let dwellSeconds: [Double]
    /// Mean seconds per metre of the plan, for stretches that the plan does not cover.
    package let secondsPerMeter: Double
    /// Index of a ride's first pickup, which is passed by a change of state, not by position.
    package let pickup: Int?
    /// Whether the route includes the drive to the pickup.
    package let coversApproach: Bool
    /// Planned metres from the pickup (or start) to the last stop; `nil` without the route's distance and geometry.
    package let plannedMeters: Double?
    /// Keys of the legs in ``RoadSpeedTable``; trips with the same stops share the keys.
    let legKeys: [UInt64]
    /// Key of the class of trips with similar errors: by kind and presence of planned times.
    let classKey: UInt64
    /// Whether a stop has a scheduled time or the route a duration.
    let isTimed: Bool
    /// Whether the trip is a scheduled run with planned times.
    var hasTimetable: Bool { kind == .transit && isTimed }
    /// Hash of the parts of the message that estimates depend on, equal in every process.
    package let fingerprint: UInt64

    package init(_ message: TripMessage, settings: ArrivalSettings) {
        kind = message.kind
        stops = message.stops
        let geometry = message.route.flatMap { RouteGeometry(points: $0.points) }
        self.geometry = geometry
        let coordinates = stops.map(\.coordinate)
        let offsets = geometry?.project(stops: coordinates) ?? Self.straightOffsets(coordinates, settings)
        self.offsets = offsets
        legMeters = offsets.indices.map { $0 == 0 ? offsets[0] : offsets[$0] - offsets[$0 - 1] }
        pieces = LegPieces(legMeters: legMeters)
        let pickup = kind == .ride ? stops.firstIndex { $0.kind == .pickup } : nil
        self.pickup = pickup
        coversApproach = geometry != nil && pickup.map { offsets[$0] > settings.approachMeters } ?? false
        let timing = LegTiming(message: message, legMeters: legMeters, geometry: geometry, settings: settings)
        legSeconds = timing.legSeconds
        dwellSeconds = timing.dwellSeconds
        secondsPerMeter = timing.secondsPerMeter
        plannedMeters = Self.plannedMeters(message, geometry, offsets, pickup)
        fingerprint = Self.fingerprint(of: message)
        legKeys = Self.legKeys(of: message)
        let isTimed = message.stops.contains { $0.scheduledAt != nil } || message.route?.durationSeconds != nil
        self.isTimed = isTimed
        classKey = Self.classKey(of: message, isTimed: isTimed)
    }

    /// Returns whether stop `index` is passed by driving past it, not by a change of the trip's state.
    @inline(__always) package func isPassedByPosition(_ index: Int) -> Bool {
        kind == .transit || (index != pickup && index != stops.count - 1)
    }

    private static func straightOffsets(_ stops: [Coordinate], _ settings: ArrivalSettings) -> [Double] {
        var along = 0.0
        return stops.indices.map { index in
            if index > 0 {
                along += settings.detourFactor * Geodesy.distanceMeters(from: stops[index - 1], to: stops[index])
            }
            return along
        }
    }

    private static func plannedMeters(
        _ message: TripMessage, _ geometry: RouteGeometry?, _ offsets: [Double], _ pickup: Int?
    ) -> Double? {
        guard let route = message.route, let last = offsets.last else { return nil }
        let length = geometry?.lengthMeters
        let whole = route.distanceMeters ?? length
        guard let whole, let length, length > 0 else { return route.distanceMeters }
        return whole * (last - (pickup.map { offsets[$0] } ?? 0)) / length
    }

    /// Hashes the kind and the numeric fields of stops and route (FNV-1a over 64-bit words).
    private static func fingerprint(of message: TripMessage) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ value: UInt64) { hash = (hash ^ value) &* 0x0000_0100_0000_01b3 }
        mix(UInt64(message.kind.rawValue))
        for stop in message.stops {
            mix(UInt64(stop.kind.rawValue))
            mix(stop.coordinate.latitude.bitPattern)
            mix(stop.coordinate.longitude.bitPattern)
            mix(UInt64(bitPattern: stop.scheduledAt?.milliseconds ?? 0))
        }
        if let route = message.route {
            mix((route.distanceMeters ?? -1).bitPattern)
            mix((route.durationSeconds ?? -1).bitPattern)
            for point in route.points {
                mix(point.latitude.bitPattern)
                mix(point.longitude.bitPattern)
            }
        }
        return hash
    }

    /// Mixes a number into a hash; equal in every process.
    static func mix(_ hash: UInt64, _ value: UInt64) -> UInt64 {
        var mixed = (hash ^ value) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    private static func legKeys(of message: TripMessage) -> [UInt64] {
        var before: UInt64 = 0x6c65_6773
        return message.stops.map { stop in
            let stopKey = mix(mix(1, stop.coordinate.latitude.bitPattern), stop.coordinate.longitude.bitPattern)
            defer { before = stopKey }
            return mix(before, stopKey) | 1 << 63
        }
    }

    private static func classKey(of message: TripMessage, isTimed: Bool) -> UInt64 {
        mix(mix(0x636c_6173, UInt64(message.kind.rawValue)), isTimed ? 1 : 0) | 1 << 63
    }
}
