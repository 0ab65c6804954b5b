import Support

/// Learned road speeds of a partition in seconds per metre, and learned errors of estimates.
///
/// Speeds are stored by road cell and by leg between two stops, errors by class of trips; all of them recent and per
/// hour of day, road cells also all-time. A new key whose four slots are full evicts the entry with the least
/// weight. A table restored from its entries, in any order, behaves like the original.
package struct RoadSpeedTable: Sendable {
    package struct Settings: Sendable, Equatable {
        /// Weight of a plan without a timetable, in passes through a cell; more observed passes outweigh it.
        ///
        /// Fitted, as the passes below and ``recentSeconds``, on the fitting halves of the recorded buses and taxis.
        package var priorPasses = 1.0
        /// Weight of a timetable in passes.
        package var timetablePriorPasses = 12.0
        /// Weight of the all-time speed, in passes, against the recent and the hourly speed.
        package var hourPriorPasses = 6.0
        /// Weight of the road cells, in passes, against observed times of a leg, which include dwell and waits.
        package var legPriorPasses = 8.0
        /// Weight of the default speed, in planned seconds, for trips without a planned time.
        package var unplannedPriorSeconds = 3600.0
        /// Weight of the interval table, in arrivals, against the errors of all rows.
        package var spreadPriorArrivals = 20.0
        /// Weight of all rows, in arrivals, against the errors of one row.
        package var spreadRowPriorArrivals = 30.0
        /// Weight of the interval table, in arrivals, for the median; a trip gives many correlated arrivals.
        package var middlePriorArrivals = 60.0
        /// Seconds after which recent observations have half their weight.
        package var recentSeconds = 14_400.0
        /// Seconds after which hourly and all-time observations have half their weight (30 days).
        package var hourlySeconds = 2_592_000.0
        /// Maximum speed of a step, in m/s; faster steps are errors and are ignored.
        package var fastestMetersPerSecond = 40.0
        /// Maximum entries (40 bytes each); a cell has one entry per time band.
        ///
        /// One day of 329 buses (CapMetro recording) needs 107,000 entries, four weeks of three taxis 105,000.
        package var capacity = 1 << 17

        package func problems() -> [String] {
            settingProblems(
                of: self,
                .above(
                    0, \.priorPasses, \.timetablePriorPasses, \.hourPriorPasses, \.legPriorPasses, \.recentSeconds,
                    \.unplannedPriorSeconds, \.spreadPriorArrivals, \.spreadRowPriorArrivals, \.middlePriorArrivals,
                    \.hourlySeconds, \.fastestMetersPerSecond),
                .within(16...1 << 24, \.capacity))
        }
    }

    /// The part of an observation that belongs to the key ``cell``: metres driven and their seconds.
    package struct Part: Sendable, Equatable {
        package var cell: UInt64
        package var meters: Double
        package var seconds: Double

        package init(cell: UInt64, meters: Double, seconds: Double) {
            (self.cell, self.meters, self.seconds) = (cell, meters, seconds)
        }
    }

    /// The band of recent observations; bands 0 to 23 are hours of day in UTC.
    package static let recentBand: UInt8 = 24
    /// The band of all observations, the prior for hours with few observations.
    package static let allTimeBand: UInt8 = 25
    /// Approximate length of a pass through a cell, in metres; converts metres to passes.
    static let passMeters = 200.0
    /// Distance, in metres, below which a movement counts as standing.
    private static let shortestMeters = 0.1
    /// Number of slots in which a key can be stored.
    static let associativity = 4

    /// An entry with its state for ``drainChanges(_:)``.
    struct Slot: Sendable {
        var entry: Entry
        /// Whether the entry has changed since the last call and is in ``changed``.
        var isChanged: Bool
        /// Whether the receiver of the changes has stored the key.
        var isStored: Bool
    }

    package let settings: Settings
    var slots: ContiguousArray<Slot?>
    /// Slots changed since the last ``drainChanges(_:)``, in order of their first change.
    var changed: ContiguousArray<Int32> = []
    /// Removed keys, to be passed by the next ``drainChanges(_:)``.
    var removed: ContiguousArray<Key> = []
    package internal(set) var evictions = 0

    package init(settings: Settings = Settings()) {
        self.settings = settings
        let sets = (max(1, settings.capacity) + Self.associativity - 1) / Self.associativity
        slots = ContiguousArray(repeating: nil, count: sets * Self.associativity)
    }

    /// Divides an observation, `seconds` between two positions of a route, into parts for ``add(_:at:)``.
    package func appendParts(
        of cells: RouteCells, from start: Double, to end: Double, seconds: Double,
        to parts: inout ContiguousArray<Part>
    ) {
        let meters = max(0, end - start)
        guard seconds > 0, meters <= settings.fastestMetersPerSecond * seconds else { return }
        // Standing time counts in its cell, although no distance is driven.
        cells.forEach(from: start, to: max(end, start + Self.shortestMeters)) { cell, part in
            let share = part / max(meters, Self.shortestMeters)
            parts.append(Part(cell: cell, meters: meters * share, seconds: seconds * share))
        }
    }

    /// Adds a part to the recent band and its hour; for road cells also to the all-time band.
    package mutating func add(_ part: Part, at time: Timestamp) {
        add(part, Key(cell: part.cell, band: Self.recentBand), time)
        add(part, Key(cell: part.cell, band: Self.hour(of: time)), time)
        if RouteCells.isCell(part.cell) { add(part, Key(cell: part.cell, band: Self.allTimeBand), time) }
    }

    /// Returns the expected seconds between two positions of a route for which the plan gives `planned`.
    ///
    /// Per cell, the prior of the recent and hourly speed is the all-time speed, whose prior is the plan.
    package func expected(
        _ cells: RouteCells, from start: Double, to end: Double, planned: Double, hasTimetable: Bool = false,
        at time: Timestamp
    ) -> Double {
        let whole = end - start
        guard whole > 0 else { return planned }
        let hour = Self.hour(of: time)
        let planPasses = hasTimetable ? settings.timetablePriorPasses : settings.priorPasses
        let plannedSpeed = planned / whole
        var total = 0.0
        cells.forEach(from: start, to: end) { cell, meters in
            let usual = blended(
                plannedSpeed, passes: planPasses, with: Key(cell: cell, band: Self.allTimeBand), at: time)
            var seconds = usual * settings.hourPriorPasses * Self.passMeters
            var weight = settings.hourPriorPasses * Self.passMeters
            for band in [Self.recentBand, hour] {
                guard let entry = find(Key(cell: cell, band: band)) else { continue }
                let share = self.weight(entry, at: time)
                seconds += entry.seconds * share
                weight += entry.meters * share
            }
            total += meters * seconds / weight
        }
        return total
    }

    /// Blends a road speed (s/m), weighted as `passes`, with the entry of `key`.
    private func blended(_ speed: Double, passes: Double, with key: Key, at time: Timestamp) -> Double {
        guard let entry = find(key) else { return speed }
        let (prior, weight) = (passes * Self.passMeters, weight(entry, at: time))
        return (speed * prior + entry.seconds * weight) / (prior + entry.meters * weight)
    }

    private mutating func add(_ part: Part, _ key: Key, _ time: Timestamp) {
        let index = slot(for: key, at: time)
        var entry = Entry(key: key, meters: 0, seconds: 0, at: time)
        if let existing = slots[index]?.entry, existing.key == key { entry = existing }
        let weight = weight(entry, at: time)
        entry.meters = entry.meters * weight + part.meters
        entry.seconds = entry.seconds * weight + part.seconds
        entry.at = max(entry.at, time)
        put(entry, at: index)
    }

    /// Returns the weight of an entry at `time`, from 1 for a new entry towards 0.
    func weight(_ entry: Entry, at time: Timestamp) -> Double {
        let half = entry.key.band == Self.recentBand ? settings.recentSeconds : settings.hourlySeconds
        return half / (half + max(0, time.seconds(since: entry.at)))
    }

    static func hour(of time: Timestamp) -> UInt8 {
        let day: Int64 = 86_400_000
        return UInt8(((time.milliseconds % day) + day) % day / 3_600_000)
    }
}
