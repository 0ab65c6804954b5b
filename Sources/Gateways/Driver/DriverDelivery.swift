import Kafka

/// What became of a record, on its way to the event loop that has queued it.
struct DriverDelivery: Sendable {
    /// The record's place in the loop's ``InFlightTable``.
    let place: Int
    /// Why the record will never arrive; `nil` when Kafka has acknowledged it.
    let error: KafkaError?
}
