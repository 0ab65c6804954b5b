import NIOCore
import Support

/// Reads the messages of HTTP requests and queues their records.
extension RecordUpload {
    /// Reads the message and queues its record; `driver` is the driver id of ``key``.
    func read(_ message: ByteSlice, _ driver: ByteSlice, _ deviceState: DeviceState) {
        let trips = registry.trips(of: key.subject)
        switch registry.reader.read(MessageOutline(message), driver: driver) {
        case .locations(let locations):
            let conditions = deviceState.conditions(after: locations, trips, at: ClientSession.now)
            writeResponse(sequences: locations.sequences, unreadable: locations.unreadable, conditions)
            begin(records: 1)
            queue(locations.value, to: .locations, driver)
        case .tripStatus(let status, let value):
            writeResponse(
                sequences: nil, unreadable: [], deviceState.conditions(after: status, trips, at: ClientSession.now))
            begin(records: 1)
            queue(value, to: .trips, driver)
        case .ping, .pong: answer(.failure(.noRecord))
        case .refused(let fault): refuse(fault)
        }
    }

    private func writeResponse(
        sequences: SequenceSpan?, unreadable: [FaultRun], _ conditions: SamplingConditions?
    ) {
        var acknowledged = MessageWriter()
        acknowledged.number("records", 1)
        acknowledged.number("sequence", sequences?.highest)
        acknowledged.text("session", sequences?.session.string ?? "")
        body.object("acknowledged", acknowledged)
        body.unreadable(unreadable)
        body.json("location_config", conditions.map { SamplingAdvice($0).message.readableBytesView })
    }
}

/// Requests of the trip service.
///
/// Events of trips without a driver are stored in Redis before any record is queued. If a step fails, the trip service
/// retries all events; repeated events have no effect.
extension RecordUpload {
    private typealias Record = (driver: String, value: [UInt8])

    /// Stores the events without a driver, and then queues the records of all other events.
    func readTrips(_ body: ByteSlice) {
        switch registry.tripReader.read(body) {
        case .success(let trips):
            writeResponse(trips)
            begin(records: trips.events.count)
            // The body is freed before Redis responds.
            let records = trips.events.map { (driver: $0.driver, value: Array($0.value.buffer)) }
            if trips.requests.isEmpty { return queue(records) }
            store(trips.requests, then: records)
        case .failure(let fault): refuse(fault)
        }
    }

    private func writeResponse(_ trips: TripEvents) {
        var acknowledged = MessageWriter()
        acknowledged.number("records", Int64(trips.events.count))
        acknowledged.number("requests", Int64(trips.requests.count))
        body.object("acknowledged", acknowledged)
        body.unreadable(trips.invalidFacts)
    }

    private func store(_ requests: [TripRequest], then records: [Record]) {
        let (count, all) = (requests.count, records.count + requests.count)
        let upload = NIOLoopBound(self, eventLoop: registry.loop)
        registry.store(requests) { [registry] result in
            switch result {
            case .success(.stored):
                for _ in 0..<count { registry.metrics.count(.acknowledged) }
                upload.value.queue(records)
            case .success(.cancelled(let indices)):
                upload.value.refuse(.cancelled(havingDrivers: indices, of: all))
            case .failure:
                for _ in 0..<count { registry.metrics.count(.failed) }
                upload.value.complete(.failure(.requestsNotStored))
            }
        }
    }

    private func queue(_ records: [Record]) {
        // The trip service has already received an error response, after which it retries all events.
        guard !isAbandoned else { return complete(.failure(.notAcknowledged)) }
        if records.isEmpty { return acknowledge() }
        // Queue all records or none, because a retry would write the already queued records again.
        let hasRoom = records.allSatisfy { driver, value in
            ByteSlice.withBytes(of: driver) { registry.hasRoom(for: $0, .trips, bytes: value.count) }
        }
        guard hasRoom else { return complete(.failure(.notAcknowledged)) }
        for (driver, value) in records {
            let isQueued = value.withUnsafeBytes { value in
                ByteSlice.withBytes(of: driver) { queue(ByteSlice(value), to: .trips, $0) }
            }
            guard isQueued else { return }
        }
    }
}
