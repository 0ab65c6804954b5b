import Support

/// Recent anomalies and activity of all drivers of a partition, for detecting GNSS interference.
///
/// The content depends only on the last four windows of verdicts, so a partition restored from its changelog gives the
/// same results. Memory is bounded: 48 bytes per remembered driver and 256 KiB of counters.
package struct DisturbanceMemory: Sendable {
    private struct Entry {
        var driver: Int
        var anomaly: Anomaly
    }

    /// Unordered entries, up to one per driver.
    private var entries: [Entry] = []
    private var prunedAt = Timestamp(milliseconds: 0)
    private var activity: ActivityCounts?
    private let settings: TrackingSettings.Disturbance
    /// The configured window, or a quarter of ``TrackingSettings/memorySeconds`` if that is shorter.
    let windowSeconds: Double

    package init(settings: TrackingSettings = TrackingSettings()) {
        self.settings = settings.disturbance
        windowSeconds = min(settings.disturbance.windowSeconds, settings.memorySeconds / 4)
        activity = ActivityCounts(periodSeconds: windowSeconds)
    }

    private init(disabledWith settings: TrackingSettings.Disturbance) {
        self.settings = settings
        windowSeconds = settings.windowSeconds
    }

    /// Disabled memory for drivers evaluated on their own; uses no storage.
    package static var none: DisturbanceMemory { DisturbanceMemory(disabledWith: TrackingSettings.Disturbance()) }

    @inline(__always) var isEnabled: Bool { activity != nil }

    /// Number of remembered drivers, including drivers with expired anomalies.
    package var count: Int { entries.count }

    /// Returns the last anomaly of the driver, of any age.
    func anomaly(of driver: Int) -> Anomaly? { entries.first { $0.driver == driver }?.anomaly }

    /// Stores the newest anomaly of a driver; if the memory is full, replaces the oldest anomaly.
    package mutating func record(_ anomaly: Anomaly, of driver: Int) {
        guard isEnabled else { return }
        pruneIfDue(at: anomaly.at)
        let entry = Entry(driver: driver, anomaly: anomaly)
        if let index = entries.firstIndex(where: { $0.driver == driver }) {
            entries[index] = entry
        } else if entries.count < settings.rememberedDrivers {
            entries.append(entry)
        } else if let index = entries.indices.min(by: { isOlder(entries[$0].anomaly, entries[$1].anomaly) }),
            !isOlder(anomaly, entries[index].anomaly)
        {
            entries[index] = entry
        }
    }

    /// Counts a driver as active in a map cell, given the driver's states before and after a fix.
    package mutating func recordActivity(before: DriverState, after: DriverState) {
        recordActivity(before: DriverState.Presence(before), after: DriverState.Presence(after))
    }

    @inline(__always) mutating func recordActivity(before: DriverState.Presence, after: DriverState.Presence) {
        activity?.record(before: before, after: after)
    }

    /// Returns whether enough nearby drivers show anomalies within a window of `anomaly`.
    ///
    /// "Enough" is the larger of ``TrackingSettings/Disturbance/drivers`` and the configured share of the active
    /// drivers. Drivers whose anomaly ends within ``TrackingSettings/Disturbance/samePointMeters`` of that of `driver`
    /// are not counted, because phones at exactly one point are controlled by one person, while receivers under
    /// interference still differ by their noise.
    func isDisturbance(_ anomaly: Anomaly, of driver: Int) -> Bool {
        guard let activity, entries.count >= settings.drivers - 1 else { return false }
        let area = Circle(center: anomaly.origin, radiusMeters: settings.radiusMeters)
        let samePoint = Circle(center: anomaly.destination, radiusMeters: settings.samePointMeters)
        var needed = settings.drivers
        var isShareKnown = false
        var anomalous = 1
        for entry in entries where entry.driver != driver && isWithinWindow(entry.anomaly, of: anomaly) {
            guard area.contains(entry.anomaly.origin), !samePoint.contains(entry.anomaly.destination) else { continue }
            anomalous += 1
            if anomalous >= needed, !isShareKnown {
                let share = settings.share * Double(activity.drivers(near: anomaly.origin))
                needed = max(needed, Int(share.rounded(.up)))
                isShareKnown = true
            }
            if anomalous >= needed { return true }
        }
        return false
    }

    /// Returns whether `other`, from its start to its last fix, overlaps the window around `anomaly`.
    @inline(__always) private func isWithinWindow(_ other: Anomaly, of anomaly: Anomaly) -> Bool {
        anomaly.at.seconds(since: other.at) <= windowSeconds && other.since.seconds(since: anomaly.at) <= windowSeconds
    }

    /// Orders anomalies by time, then by content, because driver numbers change on restart.
    private func isOlder(_ one: Anomaly, _ other: Anomaly) -> Bool {
        if one.at != other.at { return one.at < other.at }
        let position = (one.origin.latitude, one.origin.longitude, one.destination.latitude, one.destination.longitude)
        return position
            < (other.origin.latitude, other.origin.longitude, other.destination.latitude, other.destination.longitude)
    }

    /// Removes anomalies older than four windows, once per window; evaluation uses anomalies of up to three windows.
    private mutating func pruneIfDue(at now: Timestamp) {
        guard now.seconds(since: prunedAt) > windowSeconds else { return }
        prunedAt = now
        entries.removeAll { now.seconds(since: $0.anomaly.at) > 4 * windowSeconds }
    }

    /// Circle on the map that may cross the date line.
    private struct Circle {
        private let center: GridPoint
        private let northMeters: Double
        private let eastMeters: Double
        private let squaredRadius: Double

        init(center: GridPoint, radiusMeters: Double) {
            self.center = center
            northMeters = Geodesy.metersPerDegree / 1e7
            eastMeters = northMeters * Elementary.cos(Double(center.latitude) / 1e7 * .pi / 180)
            squaredRadius = radiusMeters * radiusMeters
        }

        @inline(__always) func contains(_ point: GridPoint) -> Bool {
            let north = Double(Int64(point.latitude) - Int64(center.latitude)) * northMeters
            var eastward = abs(Int64(point.longitude) - Int64(center.longitude))
            if eastward > 1_800_000_000 { eastward = 3_600_000_000 - eastward }
            let east = Double(eastward) * eastMeters
            return north * north + east * east <= squaredRadius
        }
    }
}
