import Model

/// What the store says about a channel at one instant.
package struct StoredChannel: Sendable {
    /// An entry of the channel's stream: an update as it stands in `rider.updates`.
    package struct Entry: Sendable, Equatable {
        package var event: EventID
        package var message: [UInt8]

        package init(event: EventID, message: [UInt8]) {
            self.event = event
            self.message = message
        }
    }

    /// By partition that has written the channel, the last events written; empty for a channel that the store does not
    /// know.
    package var clocks: [Int32: Watermark]
    /// By the same partitions, the offset of `rider.updates` up to which the store has everything.
    package var progress: [Int32: Int64]
    /// The newest entries of the stream, oldest first.
    package var entries: [Entry]
    /// Whether ``entries`` are all that the stream has.
    package var hasAllEntries: Bool
    /// The fields of the channel's hash, without its clocks; those of its request where ``isRequest``.
    package var fields: [String: [UInt8]]

    package init(
        clocks: [Int32: Watermark] = [:], progress: [Int32: Int64] = [:], entries: [Entry] = [],
        hasAllEntries: Bool = true, fields: [String: [UInt8]] = [:]
    ) {
        self.clocks = clocks
        self.progress = progress
        self.entries = entries
        self.hasAllEntries = hasAllEntries
        self.fields = fields
    }

    /// Whether it is a trip that was requested and has no driver, so that nothing was published of it.
    package var isRequest: Bool { clocks.isEmpty && !fields.isEmpty }
}
