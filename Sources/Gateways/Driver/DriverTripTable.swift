import ArrivalTimes
import Model
import Support

/// Holds the open trips of all drivers, by the messages of `trips`, each judged as `eta-worker` judges it.
package struct DriverTripTable {
    /// The trips of one driver.
    private final class Page {
        var ledger = TripLedger()
        var newest = ""
        /// When the last message came.
        var changedAt: Timestamp

        init(at time: Timestamp) { changedAt = time }

        var trips: KnownTrips {
            KnownTrips(
                open: [ledger.current, ledger.next].compactMap { $0 }.map { .init(id: $0.tripID, state: $0.state) },
                newest: newest)
        }
    }

    /// Of drivers with a trip that is held; a page has about 1 KB.
    static let maximumDrivers = 100_000
    /// How long a driver is held whose trips have ended: as long as `eta-worker` knows them, so that late messages are
    /// judged alike.
    static let endedMilliseconds: Int64 = 300_000
    /// How long a trip is held of which nothing comes any more, and how far back the topic is read at start.
    package static let openMilliseconds: Int64 = 24 * 3_600_000

    private var pages: [String: Page] = [:]
    private let maximumDrivers: Int

    package init(maximumDrivers: Int = Self.maximumDrivers) { self.maximumDrivers = maximumDrivers }

    /// How many drivers are held.
    package var count: Int { pages.count }

    /// The trips of a driver; `nil` where nothing is known of them.
    package func trips(of driver: String) -> KnownTrips? { pages[driver]?.trips }

    /// Follows a message about a trip.
    ///
    /// - Parameters:
    ///   - message: as read from the topic.
    ///   - receivedAt: the record's timestamp.
    ///   - time: of a clock that does not go back.
    /// - Returns: the driver's trips, also where the message was refused: the device may have said the same. `nil` where
    ///   the trip is not known, or there are too many drivers.
    package mutating func follow(_ message: TripMessage, receivedAt: Timestamp, at time: Timestamp) -> KnownTrips? {
        let held = pages[message.driverID]
        guard held != nil || pages.count < maximumDrivers else { return nil }
        let page = held ?? Page(at: time)
        let step = page.ledger.apply(message.dated(atLatest: receivedAt).withoutPlan)
        if step.outcome == .rejected(.tripNotFound) { return nil }
        page.newest = message.tripID
        page.changedAt = time
        pages[message.driverID] = page
        return page.trips
    }

    /// Ends all trips of a driver (a tombstone).
    /// - Returns: the driver's trips after it, for each trip that has ended; empty where none was held.
    package mutating func end(driver: String, at time: Timestamp) -> [KnownTrips] {
        guard let page = pages[driver] else { return [] }
        page.changedAt = time
        return page.ledger.end().map { ended in
            page.newest = ended.tripID
            return page.trips
        }
    }

    /// Forgets the drivers of whom nothing has come for too long.
    package mutating func forget(at time: Timestamp) {
        pages = pages.filter { _, page in
            let age = time.milliseconds - page.changedAt.milliseconds
            return age < (page.ledger.isEmpty ? Self.endedMilliseconds : Self.openMilliseconds)
        }
    }
}

extension TripMessage {
    /// The message without what only arrival times and riders need.
    fileprivate var withoutPlan: TripMessage {
        var message = self
        (message.stops, message.route, message.factsJSON, message.contextJSON) = ([], nil, nil, nil)
        return message
    }
}
