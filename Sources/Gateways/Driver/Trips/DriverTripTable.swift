import Domain
import Support

/// A driver's trips according to the topic `trips`, after a message about one of them.
struct KnownTrips: Sendable, Equatable {
    struct Trip: Sendable, Equatable {
        var id: String
        var state: TripState
    }

    /// Open trips: the current and the next one.
    var open: [Trip]
    /// Trip of the last message, even if the message ended it.
    var lastTripID: String

    /// Whether the trip is open, or was the trip of the last message.
    func contains(_ tripID: String) -> Bool { tripID == lastTripID || open.contains { $0.id == tripID } }

    /// Returns the trips after a status of the device has been applied.
    func applying(tripID: String, _ state: TripState) -> KnownTrips {
        var trips = self
        guard let index = trips.open.firstIndex(where: { $0.id == tripID }) else { return trips }
        trips.open[index].state = state
        if state.hasEnded { trips.open.remove(at: index) }
        return trips
    }
}

/// Open trips of all drivers, according to the messages of `trips` and the rules of `eta-worker`.
struct DriverTripTable {
    private final class Entry {
        var ledger = TripLedger()
        var lastTripID = ""
        var changedAt: Timestamp

        init(at time: Timestamp) { changedAt = time }

        var trips: KnownTrips {
            KnownTrips(
                open: [ledger.current, ledger.next].compactMap { $0 }.map { .init(id: $0.tripID, state: $0.state) },
                lastTripID: lastTripID)
        }
    }

    /// Maximum number of drivers; an entry uses about 1 KB.
    static let maximumDrivers = 100_000
    /// Retention of a driver without an open trip; as in `eta-worker`, so that both evaluate late messages alike.
    static let endedMilliseconds: Int64 = 300_000
    /// Retention of an open trip after its last message, and age of the oldest records read at the start.
    static let openMilliseconds: Int64 = 24 * 3_600_000

    private var entries: [String: Entry] = [:]
    private let maximumDrivers: Int

    init(maximumDrivers: Int = Self.maximumDrivers) { self.maximumDrivers = maximumDrivers }

    var count: Int { entries.count }

    /// Returns the trips of a driver; `nil` if none are known.
    func trips(of driver: String) -> KnownTrips? { entries[driver]?.trips }

    /// Applies a message about a trip.
    ///
    /// `receivedAt` is the timestamp of the record, `time` that of a monotonic clock.
    /// - Returns: the driver's trips, even if the message was rejected, so that sessions discard the device's statuses
    ///   of this trip. `nil` if the trip is unknown or the table is full.
    mutating func apply(_ message: TripMessage, receivedAt: Timestamp, at time: Timestamp) -> KnownTrips? {
        let existing = entries[message.driverID]
        guard existing != nil || entries.count < maximumDrivers else { return nil }
        let entry = existing ?? Entry(at: time)
        let step = entry.ledger.apply(message.dated(atLatest: receivedAt).withoutPlan)
        if step.outcome == .rejected(.tripNotFound) { return nil }
        entry.lastTripID = message.tripID
        entry.changedAt = time
        entries[message.driverID] = entry
        return entry.trips
    }

    /// Ends all trips of a driver, after a tombstone.
    /// - Returns: the driver's trips, once per ended trip, each with that trip as ``KnownTrips/lastTripID``.
    mutating func endTrips(of driver: String, at time: Timestamp) -> [KnownTrips] {
        guard let entry = entries[driver] else { return [] }
        entry.changedAt = time
        return entry.ledger.end().map { ended in
            entry.lastTripID = ended.tripID
            return entry.trips
        }
    }

    /// Removes the drivers whose retention is over.
    mutating func removeExpired(at time: Timestamp) {
        entries = entries.filter { _, entry in
            let age = time.milliseconds - entry.changedAt.milliseconds
            return age < (entry.ledger.isEmpty ? Self.endedMilliseconds : Self.openMilliseconds)
        }
    }
}

extension TripMessage {
    /// The message without data that this table does not need.
    fileprivate var withoutPlan: TripMessage {
        var message = self
        (message.stops, message.route, message.factsJSON, message.contextJSON) = ([], nil, nil, nil)
        return message
    }
}
