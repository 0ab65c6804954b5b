import Gateways

/// An update on its way to the clients of one event loop.
struct Delivery: Sendable {
    let channel: ChannelName
    let frame: EventFrame
}
