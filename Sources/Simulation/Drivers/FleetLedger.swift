import Codec
import Domain
import Support

/// Collects the drivers' events, ground truth and counters.
struct FleetLedger: Sendable {
    var outbox = EventQueue()
    var trips: [TripGroundTruth] = []
    var drivers: [DriverGroundTruth] = []
    var statistics = FleetStatistics()
    /// False during the warm-up, in which drivers store their trip messages.
    var isSending = false

    mutating func post(_ message: TripMessage, at time: Timestamp) {
        guard isSending else { return }
        statistics.tripMessages += 1
        var writer = ByteWriter()
        TripWriter.write(message, into: &writer)
        outbox.post(
            .tripMessage(
                SimulatedEvent.TripRecord(
                    key: message.driverID, value: Array(writer.bytes.buffer), sentAt: time, message: message)))
    }

    mutating func post(tombstoneOf driverID: String, at time: Timestamp) {
        guard isSending else { return }
        statistics.tripMessages += 1
        outbox.post(
            .tripMessage(SimulatedEvent.TripRecord(key: driverID, value: nil, sentAt: time, message: nil)))
    }
}
