import Codec
import Domain
import Support

/// Collects the drivers' events and ground truth.
struct FleetLedger: Sendable {
    var outbox = EventQueue()
    var trips: [TripGroundTruth] = []
    var drivers: [DriverGroundTruth] = []
    /// Number of fixes that never arrive.
    var lostFixes = 0
    /// `false` during the warm-up, in which drivers store their trip messages.
    var isSending = false

    /// Posts a trip message, or a tombstone of the driver's trip if `message` is `nil`.
    mutating func post(_ message: TripMessage?, of driverID: String, at time: Timestamp) {
        guard isSending else { return }
        let value = message.map { message in
            var writer = ByteWriter()
            TripWriter.write(message, into: &writer)
            return Array(writer.bytes.buffer)
        }
        outbox.post(
            .tripMessage(SimulatedEvent.TripRecord(key: driverID, value: value, sentAt: time, message: message)))
    }
}
