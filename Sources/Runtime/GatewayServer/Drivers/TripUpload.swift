import Bytes
import Gateways

/// A request of the trip service with events, until Kafka has acknowledged their records.
final class TripUpload: RecordUpload {
    /// Reads the events and queues their records.
    func read(_ body: ByteSlice, _ hub: DriverHub) {
        switch hub.tripReader.read(body) {
        case .success(let trips):
            describe(trips)
            begin(records: trips.events.count, hub)
            for event in trips.events {
                guard ByteSlice.withBytes(of: event.driver, { queue(.trip(event.value), $0, hub) }) else { return }
            }
        case .failure(let fault):
            hub.metrics.count(.refused)
            answer(.refused(fault))
        }
    }

    private func describe(_ trips: TripEvents) {
        var acknowledged = MessageWriter()
        acknowledged.number("records", Int64(trips.events.count))
        body.object("acknowledged", acknowledged)
        body.unreadable(trips.withoutFacts)
    }
}
