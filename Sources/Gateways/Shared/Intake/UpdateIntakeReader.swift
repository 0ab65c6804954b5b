import Codec
import Domain
import NIOCore
import Support

/// Reads `rider.updates` for subscribers of channels.
struct UpdateIntakeReader: IntakeReader {
    typealias Name = ChannelName

    static let topic = PipelineTopic.riderUpdates
    private let envelopes = RiderUpdateEnvelopeReader()

    func content(of value: ByteSlice) -> EventFrame? {
        guard let envelope = envelopes.read(value), let event = envelope.event else { return nil }
        return EventFrame(event: event, type: envelope.type, message: ByteBuffer(bytes: value.buffer))
    }
}
