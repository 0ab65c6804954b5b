import NIOCore
import Support

/// A request with events of the trip service.
///
/// Events of trips without a driver are stored in Redis before any record is queued. If that or a later step fails, the
/// trip service retries all events; events that were already stored or written have no effect.
final class TripUpload: RecordUpload {
    private typealias Record = (driver: String, value: [UInt8])

    /// Reads the events, stores those without a driver, and queues the records of the others.
    func read(_ body: ByteSlice, _ registry: DriverConnectionRegistry) {
        switch registry.tripReader.read(body) {
        case .success(let trips):
            describe(trips)
            begin(records: trips.events.count, registry)
            // The body is freed before Redis responds.
            let records = trips.events.map { (driver: $0.driver, value: Array($0.value.buffer)) }
            if trips.requests.isEmpty { return queue(records, registry) }
            store(trips.requests, then: records, registry)
        case .failure(let fault): refuse(fault, registry)
        }
    }

    private func describe(_ trips: TripEvents) {
        var acknowledged = MessageWriter()
        acknowledged.number("records", Int64(trips.events.count))
        acknowledged.number("requests", Int64(trips.requests.count))
        body.object("acknowledged", acknowledged)
        body.unreadable(trips.withoutFacts)
    }

    private func store(_ requests: [TripRequest], then records: [Record], _ registry: DriverConnectionRegistry) {
        let (count, all) = (requests.count, records.count + requests.count)
        let upload = NIOLoopBound(self, eventLoop: registry.loop)
        registry.store(requests) { [registry] result in
            switch result {
            case .success(.stored):
                for _ in 0..<count { registry.metrics.count(.acknowledged) }
                upload.value.queue(records, registry)
            case .success(.cancelled(let indices)):
                upload.value.refuse(.cancelled(havingDrivers: indices, of: all), registry)
            case .failure:
                for _ in 0..<count { registry.metrics.count(.failed) }
                upload.value.complete(.requestsNotStored, registry)
            }
        }
    }

    private func queue(_ records: [Record], _ registry: DriverConnectionRegistry) {
        // The trip service already received a response asking it to retry everything.
        guard !isAbandoned else { return complete(.unavailable, registry) }
        if records.isEmpty { return acknowledge(registry) }
        // All or nothing: a retry would duplicate the records that were written.
        let hasRoom = records.allSatisfy { driver, value in
            ByteSlice.withBytes(of: driver) { registry.hasRoom(for: $0, .trips, bytes: value.count) }
        }
        guard hasRoom else { return complete(.unavailable, registry) }
        for (driver, value) in records {
            let isQueued = value.withUnsafeBytes { value in
                ByteSlice.withBytes(of: driver) { queue(.trip(ByteSlice(value)), $0, registry) }
            }
            guard isQueued else { return }
        }
    }

    private func refuse(_ fault: MessageFault, _ registry: DriverConnectionRegistry) {
        registry.metrics.count(.refused)
        complete(.refused(fault), registry)
    }
}
