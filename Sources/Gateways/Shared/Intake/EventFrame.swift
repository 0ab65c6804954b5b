import Codec
import Model
import NIOCore

/// An update of `rider.updates` as a WebSocket frame: made once, shared by all clients that get it.
struct EventFrame: Sendable {
    let event: EventID
    /// `nil` for a type that this version does not know.
    let type: RiderUpdateType?
    /// The update alone, without the frame's header.
    let message: ByteBuffer
    /// Header and update.
    let frame: ByteBuffer
    /// Whether a newer update of the same kind makes this one needless.
    let isPosition: Bool

    init(event: EventID, type: RiderUpdateType?, message: ByteBuffer) {
        self.event = event
        self.type = type
        self.message = message
        frame = WebSocketText.frame(message)
        isPosition = Self.isPosition(type)
    }

    /// Whether an update tells where something is now, so that a newer one of its kind makes it needless.
    static func isPosition(_ type: RiderUpdateType?) -> Bool { type == .driverLocation }
}
