import NIOCore
import Support

/// A request of the trip service with events, until Kafka has acknowledged their records.
///
/// Events of trips that have no driver are kept in Redis before any record is queued. If that fails, or what follows,
/// the trip service sends all events again, and those that were kept or written change nothing.
final class TripUpload: RecordUpload {
    /// Reads the events, has those without a driver kept, and queues the records of the others.
    func read(_ body: ByteSlice, _ hub: DriverConnectionRegistry) {
        switch hub.tripReader.read(body) {
        case .success(let trips):
            describe(trips)
            begin(records: trips.events.count, hub)
            if trips.requests.isEmpty { return queue(trips.events, hub) }
            keep(trips, hub)
        case .failure(let fault): refuse(fault, hub)
        }
    }

    private func describe(_ trips: TripEvents) {
        var acknowledged = MessageWriter()
        acknowledged.number("records", Int64(trips.events.count))
        acknowledged.number("requests", Int64(trips.requests.count))
        body.object("acknowledged", acknowledged)
        body.unreadable(trips.withoutFacts)
    }

    private func queue(_ events: [TripEvents.Event], _ hub: DriverConnectionRegistry) {
        // All or none: what is written of a batch that is sent again would be a copy.
        let hasRoom = events.allSatisfy { event in
            ByteSlice.withBytes(of: event.driver) { hub.hasRoom(for: $0, .trips, bytes: event.value.count) }
        }
        guard hasRoom else { return settle(.unavailable, hub) }
        for event in events {
            guard ByteSlice.withBytes(of: event.driver, { queue(.trip(event.value), $0, hub) }) else { return }
        }
    }

    private func keep(_ trips: TripEvents, _ hub: DriverConnectionRegistry) {
        // The body is gone when the answer comes.
        let records = trips.events.map { (driver: $0.driver, value: Array($0.value.buffer)) }
        let (count, all) = (trips.requests.count, trips.events.count + trips.requests.count)
        let upload = NIOLoopBound(self, eventLoop: hub.loop)
        hub.keep(trips.requests) { [hub] result in
            switch result {
            case .success(.kept):
                for _ in 0..<count { hub.metrics.count(.acknowledged) }
                upload.value.queue(records, hub)
            case .success(.cancelled(let places)):
                upload.value.refuse(.cancelled(havingDrivers: places, of: all), hub)
            case .failure:
                for _ in 0..<count { hub.metrics.count(.failed) }
                upload.value.settle(.requestsNotKept, hub)
            }
        }
    }

    /// Queues the records of a batch whose requests are kept.
    private func queue(_ records: [(driver: String, value: [UInt8])], _ hub: DriverConnectionRegistry) {
        // The trip service was told to send all of it again.
        guard !isAbandoned else { return settle(.unavailable, hub) }
        if records.isEmpty { return acknowledge(hub) }
        let hasRoom = records.allSatisfy { driver, value in
            ByteSlice.withBytes(of: driver) { hub.hasRoom(for: $0, .trips, bytes: value.count) }
        }
        guard hasRoom else { return settle(.unavailable, hub) }
        for (driver, value) in records {
            let isQueued = value.withUnsafeBytes { value in
                ByteSlice.withBytes(of: driver) { queue(.trip(ByteSlice(value)), $0, hub) }
            }
            guard isQueued else { return }
        }
    }

    private func refuse(_ fault: MessageFault, _ hub: DriverConnectionRegistry) {
        hub.metrics.count(.refused)
        settle(.refused(fault), hub)
    }
}
