/// What a lane's vehicles have taught about roads: seconds per metre by road cell, lately and by hour of the day.
///
/// Bounded: cells live in a table of fixed size, and a new one takes the place of the one longest not driven among the
/// few it may displace. Deterministic: the same observations in the same order leave the same memory.
/// It must be as restorable as whatever uses it: see ``ActiveTrip/learnPaces(from:at:)``.
package struct PaceMemory: Sendable {
    /// How observations are weighed.
    package struct Settings: Sendable, Equatable {
        /// Passes that the plan counts for: learned paces count more as more vehicles have driven a cell.
        package var priorPasses = 3.0
        /// Seconds after which what was seen lately counts half.
        package var recentSeconds = 7200.0
        /// Seconds after which what was seen at this hour of the day counts half (14 days).
        package var hourlySeconds = 1_209_600.0
        /// One step of a vehicle counts as at most this many seconds longer than at walking pace (1.5 s per metre).
        ///
        /// Lights and stops belong to a road's pace, a break does not.
        package var longestStandingSeconds = 60.0
        /// A step faster than this many metres per second is an error.
        package var fastestMetersPerSecond = 40.0
        /// Cells kept; a power of two.
        package var capacity = 1 << 15

        package init() {}

        /// What is wrong with the settings, one sentence each; empty when they can be used.
        package func problems() -> [String] {
            priorPasses > 0 && recentSeconds > 0 && hourlySeconds > 0 && longestStandingSeconds >= 0
                && fastestMetersPerSecond > 0 && capacity >= 16 && capacity & (capacity - 1) == 0
                ? [] : ["The pace memory needs settings above 0 and a capacity that is a power of two, at least 16."]
        }
    }

    /// What is known of one cell in one band of time.
    package struct Entry: Sendable, Equatable {
        package var key: UInt64
        package var meters: Double
        package var seconds: Double
        package var at: Timestamp
    }

    /// The band of what was seen lately; bands 0 to 23 are hours of the day, UTC.
    private static let recently: UInt64 = 24
    /// A pass through a cell is about this long, in metres: turns metres into ``Settings/priorPasses``.
    private static let passMeters = 200.0
    private static let walkingSecondsPerMeter = 1.5
    /// A vehicle that moved less than this stood.
    private static let shortestMeters = 0.1
    private static let ways = 4

    package let settings: Settings
    private var entries: ContiguousArray<Entry?>

    package init(settings: Settings = Settings()) {
        self.settings = settings
        entries = ContiguousArray(repeating: nil, count: settings.capacity)
    }

    /// Takes in that a vehicle took `seconds` from one length of its route to another.
    package mutating func observe(
        _ cells: RouteCells, from start: Double, to end: Double, seconds: Double, at time: Timestamp
    ) {
        let meters = max(0, end - start)
        guard seconds > 0, meters <= settings.fastestMetersPerSecond * seconds else { return }
        let counted = min(seconds, meters * Self.walkingSecondsPerMeter + settings.longestStandingSeconds)
        // Standing belongs to the place where it happens, which has no length.
        cells.forEach(from: start, to: max(end, start + Self.shortestMeters)) { key, part in
            let share = part / max(meters, Self.shortestMeters)
            add(key, Self.recently, meters * share, counted * share, time)
            add(key, Self.hour(of: time), meters * share, counted * share, time)
        }
    }

    /// Expected seconds between two lengths of a route, where the plan says `planned`.
    package func expected(
        _ cells: RouteCells, from start: Double, to end: Double, planned: Double, at time: Timestamp
    ) -> Double {
        let whole = end - start
        guard whole > 0 else { return planned }
        var total = 0.0
        cells.forEach(from: start, to: end) { key, meters in
            let plan = planned * meters / whole
            var seconds = plan / meters * settings.priorPasses * Self.passMeters
            var weight = settings.priorPasses * Self.passMeters
            for (band, half) in [
                (Self.recently, settings.recentSeconds), (Self.hour(of: time), settings.hourlySeconds),
            ] {
                guard let entry = find(Self.mixed(key, band)) else { continue }
                let kept = Self.kept(time.seconds(since: entry.at), half)
                seconds += entry.seconds * kept
                weight += entry.meters * kept
            }
            total += meters * seconds / weight
        }
        return total
    }

    /// The entry that ``observe(_:from:to:seconds:at:)`` would leave out when restoring: all of them, for a compacted
    /// topic to carry.
    package var allEntries: [Entry] { entries.compactMap { $0 } }

    /// Takes back an entry.
    package mutating func restore(_ entry: Entry) {
        entries[slot(for: entry.key)] = entry
    }

    private mutating func add(_ key: UInt64, _ band: UInt64, _ meters: Double, _ seconds: Double, _ time: Timestamp) {
        let mixed = Self.mixed(key, band)
        let index = slot(for: mixed)
        var entry = Entry(key: mixed, meters: 0, seconds: 0, at: time)
        if let held = entries[index], held.key == mixed { entry = held }
        let half = band == Self.recently ? settings.recentSeconds : settings.hourlySeconds
        let kept = Self.kept(time.seconds(since: entry.at), half)
        entry.meters = entry.meters * kept + meters
        entry.seconds = entry.seconds * kept + seconds
        entry.at = max(entry.at, time)
        entries[index] = entry
    }

    private func find(_ key: UInt64) -> Entry? {
        let first = Int(truncatingIfNeeded: key) & (entries.count - 1)
        for way in 0..<Self.ways {
            if let entry = entries[(first + way) & (entries.count - 1)], entry.key == key { return entry }
        }
        return nil
    }

    /// Where a key is, or else may go: a free place, or that of the neighbour longest not driven.
    private func slot(for key: UInt64) -> Int {
        let mask = entries.count - 1
        let first = Int(truncatingIfNeeded: key) & mask
        var chosen = first
        var oldest: Timestamp?
        for way in 0..<Self.ways {
            let index = (first + way) & mask
            guard let entry = entries[index] else {
                if oldest != Timestamp(milliseconds: .min) {
                    chosen = index
                    oldest = Timestamp(milliseconds: .min)
                }
                continue
            }
            if entry.key == key { return index }
            if oldest.map({ entry.at < $0 }) ?? true {
                chosen = index
                oldest = entry.at
            }
        }
        return chosen
    }

    private static func kept(_ seconds: Double, _ half: Double) -> Double { half / (half + max(0, seconds)) }

    private static func hour(of time: Timestamp) -> UInt64 {
        let day: Int64 = 86_400_000
        return UInt64(((time.milliseconds % day) + day) % day / 3_600_000)
    }

    /// Cell and band as one well-spread number.
    private static func mixed(_ key: UInt64, _ band: UInt64) -> UInt64 {
        var hash = key &+ (band &+ 1) &* 0x9e37_79b9_7f4a_7c15
        hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
        return hash ^ (hash >> 31)
    }
}
