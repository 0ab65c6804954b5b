import Codec
import Domain
import NIOCore
import Support

/// An update of `rider.updates` as a WebSocket frame, shared by all its receivers.
struct EventFrame: Sendable {
    let event: EventID
    /// `nil` for a type unknown to this version.
    let type: RiderUpdateType?
    /// The update without the frame header.
    let message: ByteBuffer
    let frame: ByteBuffer
    /// Whether a newer position of the channel replaces this update in a send queue.
    let isPosition: Bool

    init(event: EventID, type: RiderUpdateType?, message: ByteBuffer) {
        self.event = event
        self.type = type
        self.message = message
        frame = WebSocketText.frame(message)
        isPosition = Self.isPosition(type)
    }

    /// Returns whether updates of this type report a trip's position, of which only the newest matters.
    static func isPosition(_ type: RiderUpdateType?) -> Bool { type == .driverLocation }
}

/// Extractor of frames from the records of `rider.updates`.
struct RiderUpdateExtractor: ContentExtractor {
    typealias Name = ChannelName

    static let topic = PipelineTopic.riderUpdates
    private let envelopes = RiderUpdateEnvelopeReader()

    func content(of value: ByteSlice) -> EventFrame? {
        guard let envelope = envelopes.read(value), let event = envelope.event else { return nil }
        return EventFrame(event: event, type: envelope.type, message: ByteBuffer(bytes: value.buffer))
    }
}
