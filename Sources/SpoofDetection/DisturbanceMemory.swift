import Model
import Support

/// What a partition knows of its drivers together: whose positions went wrong within the last minutes, and how many
/// drivers there are in each neighbourhood.
///
/// Its answers follow from the last four windows of judgements alone, in their order, so a partition that is restored
/// from its changelog gives the same. Only anomalies cost a search; other fixes cost a comparison, and a count once per
/// window and cell. Memory is bounded: 56 bytes for each of the drivers remembered, and 256 KiB of counters.
package struct DisturbanceMemory: Sendable {
    private struct Entry {
        var driver: Int
        var anomaly: Anomaly
    }

    /// One at most per driver, in no order.
    private var entries: [Entry] = []
    private var prunedAt = Timestamp(milliseconds: 0)
    private var activity: ActivityCounts?
    private let settings: TrackingSettings.Disturbance
    /// The window, or less where the partition's memory is too short to restore four of them.
    let windowSeconds: Double

    /// A memory for one partition.
    package init(settings: TrackingSettings = TrackingSettings()) {
        self.settings = settings.disturbance
        windowSeconds = min(settings.disturbance.windowSeconds, settings.memorySeconds / 4)
        activity = ActivityCounts(periodSeconds: windowSeconds)
    }

    private init(forgetting settings: TrackingSettings.Disturbance) {
        self.settings = settings
        windowSeconds = settings.windowSeconds
    }

    /// The memory for a driver that is judged on its own: empty, excuses no driver, and takes no memory.
    package static var none: DisturbanceMemory { DisturbanceMemory(forgetting: TrackingSettings.Disturbance()) }

    /// Whether this is not ``none``.
    @inline(__always)
    var remembers: Bool { activity != nil }

    /// Drivers remembered, among them some whose anomaly is long over.
    package var count: Int { entries.count }

    /// The last anomaly of the driver, however long ago.
    func anomaly(of driver: Int) -> Anomaly? {
        entries.first { $0.driver == driver }?.anomaly
    }

    /// Notes the newest anomaly of a driver, in place of the one before; the longest past gives way when all are taken.
    package mutating func note(_ anomaly: Anomaly, of driver: Int) {
        guard remembers else { return }
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

    /// Counts a driver where it is, once per window; `before` and `after` are its states before a fix and after it.
    package mutating func noteActivity(before: DriverState, after: DriverState) {
        noteActivity(before: DriverState.Presence(before), after: DriverState.Presence(after))
    }

    @inline(__always)
    mutating func noteActivity(before: DriverState.Presence, after: DriverState.Presence) {
        activity?.note(before: before, after: after)
    }

    /// Whether so many drivers near `anomaly`, its own among them, went wrong within a window of it that the cause is
    /// not with them: at least the number in the settings, and at least the share of those who are active there.
    ///
    /// Those whose fixes end in the same metre as its own do not count: phones that go to one point together follow a
    /// hand, while receivers that are led astray together still have noise of their own.
    func isDisturbance(_ anomaly: Anomaly, of driver: Int) -> Bool {
        guard let activity, entries.count >= settings.drivers - 1 else { return false }
        let area = Circle(center: anomaly.origin, radiusMeters: settings.radiusMeters)
        let samePoint = Circle(center: anomaly.destination, radiusMeters: settings.samePointMeters)
        var needed = settings.drivers
        var isShareKnown = false
        var found = 1
        for entry in entries where entry.driver != driver && isWithinWindow(entry.anomaly, of: anomaly) {
            guard area.contains(entry.anomaly.origin), !samePoint.contains(entry.anomaly.destination) else { continue }
            found += 1
            if found >= needed, !isShareKnown {
                let share = settings.share * Double(activity.drivers(near: anomaly.origin))
                needed = max(needed, Int(share.rounded(.up)))
                isShareKnown = true
            }
            if found >= needed { return true }
        }
        return false
    }

    /// Whether `other`, which may have begun before its last fix, lies within a window of `anomaly`.
    @inline(__always)
    private func isWithinWindow(_ other: Anomaly, of anomaly: Anomaly) -> Bool {
        anomaly.at.seconds(since: other.at) <= windowSeconds && other.since.seconds(since: anomaly.at) <= windowSeconds
    }

    /// Orders anomalies by their time; by their content where that is equal, as drivers' numbers change with a restart.
    private func isOlder(_ one: Anomaly, _ other: Anomaly) -> Bool {
        if one.at != other.at { return one.at < other.at }
        let place = (one.origin.latitude, one.origin.longitude, one.destination.latitude, one.destination.longitude)
        return place
            < (other.origin.latitude, other.origin.longitude, other.destination.latitude, other.destination.longitude)
    }

    /// Once per window, forgets what nothing asks for any more: an anomaly is asked for up to three windows.
    private mutating func pruneIfDue(at now: Timestamp) {
        guard now.seconds(since: prunedAt) > windowSeconds else { return }
        prunedAt = now
        entries.removeAll { now.seconds(since: $0.anomaly.at) > 4 * windowSeconds }
    }

    /// A circle on the map; across the date line too.
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

        @inline(__always)
        func contains(_ point: GridPoint) -> Bool {
            let north = Double(Int64(point.latitude) - Int64(center.latitude)) * northMeters
            var turn = abs(Int64(point.longitude) - Int64(center.longitude))
            if turn > 1_800_000_000 { turn = 3_600_000_000 - turn }
            let east = Double(turn) * eastMeters
            return north * north + east * east <= squaredRadius
        }
    }
}
