import Codec
import Model
import Support

/// Where drivers put what they send and what is true of it.
struct FleetLedger: Sendable {
    var outbox = EventQueue()
    var trips: [TripTruth] = []
    var drivers: [DriverTruth] = []
    var statistics = FleetStatistics()
    /// Before the start nothing is sent; trip messages are kept by their drivers.
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
