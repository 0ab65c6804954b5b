import Support

/// What a partition's vehicles have taught about roads: seconds per metre by road cell and by leg between two stops,
/// and how far arrivals stray from estimates, each lately, by hour of the day and at all hours.
///
/// Bounded: entries live in a table of fixed size, and a new one takes the place of that which says least by now among
/// the few it may displace. Deterministic: the same observations in the same order leave the same memory, and a memory
/// restored from its entries, in whatever order, goes on as the one that they were taken from.
/// It must be as restorable as whatever uses it: see ``ActiveTrip/learnPaces(from:at:)``.
package struct RoadSpeedTable: Sendable {
    /// How observations are weighed.
    package struct Settings: Sendable, Equatable {
        /// Passes that a ride's plan counts for: learned paces count more as more vehicles have driven a cell.
        ///
        /// Fitted, as the other passes and ``recentSeconds``, on the fitting halves of the recorded buses and taxis.
        /// The recorded rides have no planner, only mean speeds in its place, and would trust them even less.
        package var priorPasses = 1.0
        /// The same of a timetable, which knows the road.
        package var timetablePriorPasses = 12.0
        /// Passes that what is known of a cell at all hours counts for in what is known lately and at this hour.
        package var hourPriorPasses = 6.0
        /// Passes that the road's cells count for where the leg between two stops has been driven: a run stops and
        /// waits there as the runs before it did, so its legs tell more than the road.
        package var legPriorPasses = 8.0
        /// Planned seconds that the default speed counts for, for trips that have no planned time.
        package var unplannedPriorSeconds = 3600.0
        /// Arrivals that the interval table counts for in what is learned of all its rows together.
        package var spreadPriorArrivals = 20.0
        /// Arrivals that all rows together count for in what is learned of one of them.
        package var spreadRowPriorArrivals = 30.0
        /// Arrivals that the table counts for in where the middle lies: moving all times needs more evidence than
        /// widening them, and one trip brings up to two dozen arrivals that stray alike.
        package var middlePriorArrivals = 60.0
        /// Seconds after which what was seen lately counts half.
        package var recentSeconds = 14_400.0
        /// Seconds after which what was seen at this hour of the day, or at any, counts half (30 days).
        package var hourlySeconds = 2_592_000.0
        /// A step faster than this many metres per second is an error.
        package var fastestMetersPerSecond = 40.0
        /// Entries kept, of 40 bytes each: a road cell lately, at one hour of the day, or at all hours.
        ///
        /// A day of the 329 buses of the CapMetro recording needs 107,000, and three taxis over four weeks need 105,000.
        package var capacity = 1 << 17

        package init() {}

        /// What is wrong with the settings, one sentence each; empty when they can be used.
        package func problems() -> [String] {
            let priors = [
                priorPasses, timetablePriorPasses, hourPriorPasses, legPriorPasses, unplannedPriorSeconds,
                spreadPriorArrivals, spreadRowPriorArrivals, middlePriorArrivals,
            ]
            return priors.allSatisfy { $0 > 0 } && recentSeconds > 0 && hourlySeconds > 0
                && fastestMetersPerSecond > 0 && (16...1 << 24).contains(capacity)
                ? [] : ["The pace memory needs settings above 0, and between 16 and 16,777,216 entries."]
        }
    }

    /// What one observation adds to one road cell.
    package struct Part: Sendable, Equatable {
        package var cell: UInt64
        package var meters: Double
        package var seconds: Double

        package init(cell: UInt64, meters: Double, seconds: Double) {
            self.cell = cell
            self.meters = meters
            self.seconds = seconds
        }
    }

    /// The band of what was seen lately; bands 0 to 23 are hours of the day, UTC.
    package static let recently: UInt8 = 24
    /// The band of what was seen at any hour: what an hour without traffic of its own, or a new day, begins with.
    package static let always: UInt8 = 25
    /// A pass through a cell is about this long, in metres: turns metres into ``Settings/priorPasses``.
    static let passMeters = 200.0
    /// A vehicle that moved less than this stood.
    private static let shortestMeters = 0.1
    /// Places that an entry may take.
    static let ways = 4

    /// An entry in its place, and what is to be told of it; see ``takeChanges(_:)``.
    struct Slot: Sendable {
        var entry: Entry
        /// Changed since the changes were last taken, and so in ``changed``.
        var isChanged: Bool
        /// The key is known to the reader of the changes.
        var isStored: Bool
    }

    package let settings: Settings
    var slots: ContiguousArray<Slot?>
    /// Places that changed since the changes were last taken, in the order in which they first did.
    var changed: ContiguousArray<Int32> = []
    /// Keys removed since then that are known to the reader of the changes.
    var removed: ContiguousArray<Key> = []
    /// Entries displaced since the beginning.
    package internal(set) var evictions = 0

    package init(settings: Settings = Settings()) {
        self.settings = settings
        let sets = (max(1, settings.capacity) + Self.ways - 1) / Self.ways
        slots = ContiguousArray(repeating: nil, count: sets * Self.ways)
    }

    /// Appends what a vehicle teaches that took `seconds` from one length of its route to another; each part is still to
    /// be added.
    package func appendParts(
        of cells: RouteCells, from start: Double, to end: Double, seconds: Double,
        to parts: inout ContiguousArray<Part>
    ) {
        let meters = max(0, end - start)
        guard seconds > 0, meters <= settings.fastestMetersPerSecond * seconds else { return }
        // Standing belongs to the place where it happens, which has no length.
        cells.forEach(from: start, to: max(end, start + Self.shortestMeters)) { cell, part in
            let share = part / max(meters, Self.shortestMeters)
            parts.append(Part(cell: cell, meters: meters * share, seconds: seconds * share))
        }
    }

    /// Adds one part of an observation, lately and at its hour of the day; a road cell's at all hours, too.
    package mutating func add(_ part: Part, at time: Timestamp) {
        add(part, Key(cell: part.cell, band: Self.recently), time)
        add(part, Key(cell: part.cell, band: Self.hour(of: time)), time)
        if RouteCells.isCell(part.cell) { add(part, Key(cell: part.cell, band: Self.always), time) }
    }

    /// Expected seconds between two lengths of a route, where the plan says `planned`.
    ///
    /// The plan is mixed with what was seen of each cell at all hours, and that with what was seen lately and at this
    /// hour.
    package func expected(
        _ cells: RouteCells, from start: Double, to end: Double, planned: Double, hasTimetable: Bool = false,
        at time: Timestamp
    ) -> Double {
        let whole = end - start
        guard whole > 0 else { return planned }
        let hour = Self.hour(of: time)
        let planPasses = hasTimetable ? settings.timetablePriorPasses : settings.priorPasses
        let planPace = planned / whole
        var total = 0.0
        cells.forEach(from: start, to: end) { cell, meters in
            let usual = mixed(planPace, passes: planPasses, with: Key(cell: cell, band: Self.always), at: time)
            var seconds = usual * settings.hourPriorPasses * Self.passMeters
            var weight = settings.hourPriorPasses * Self.passMeters
            for band in [Self.recently, hour] {
                guard let entry = find(Key(cell: cell, band: band)) else { continue }
                let kept = kept(entry, at: time)
                seconds += entry.seconds * kept
                weight += entry.meters * kept
            }
            total += meters * seconds / weight
        }
        return total
    }

    /// A pace in seconds per metre, counting as `passes`, mixed with what is known of `key`.
    private func mixed(_ pace: Double, passes: Double, with key: Key, at time: Timestamp) -> Double {
        guard let entry = find(key) else { return pace }
        let (prior, kept) = (passes * Self.passMeters, kept(entry, at: time))
        return (pace * prior + entry.seconds * kept) / (prior + entry.meters * kept)
    }

    private mutating func add(_ part: Part, _ key: Key, _ time: Timestamp) {
        let index = place(for: key, at: time)
        var entry = Entry(key: key, meters: 0, seconds: 0, at: time)
        if let held = slots[index]?.entry, held.key == key { entry = held }
        let kept = kept(entry, at: time)
        entry.meters = entry.meters * kept + part.meters
        entry.seconds = entry.seconds * kept + part.seconds
        entry.at = max(entry.at, time)
        put(entry, at: index)
    }

    /// How much of an entry counts at `time`, from 1 for a new one towards 0.
    func kept(_ entry: Entry, at time: Timestamp) -> Double {
        let half = entry.key.band == Self.recently ? settings.recentSeconds : settings.hourlySeconds
        return half / (half + max(0, time.seconds(since: entry.at)))
    }

    static func hour(of time: Timestamp) -> UInt8 {
        let day: Int64 = 86_400_000
        return UInt8(((time.milliseconds % day) + day) % day / 3_600_000)
    }
}
