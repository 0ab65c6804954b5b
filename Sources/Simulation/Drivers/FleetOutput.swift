import Codec
import Domain
import Support

/// Events that wait to be sent, and ground truth of all drivers and trips.
struct FleetOutput: Sendable {
    var events = EventQueue()
    var trips: [TripGroundTruth] = []
    var drivers: [DriverGroundTruth] = []
    /// Number of fixes that never arrive.
    var lostFixes = 0
    /// Whether events are sent; `false` during the warm-up, when drivers store their trip messages instead.
    var isSending = false

    /// Posts a trip message, or a tombstone of the driver's trip if `message` is `nil`; only while ``isSending``.
    mutating func post(_ message: TripMessage?, of driverID: String, at time: Timestamp) {
        guard isSending else { return }
        let value = message.map { message in
            var writer = ByteWriter()
            TripWriter.write(message, into: &writer)
            return Array(writer.bytes.buffer)
        }
        events.post(
            .tripMessage(SimulatedEvent.TripRecord(key: driverID, value: value, sentAt: time, message: message)))
    }
}
