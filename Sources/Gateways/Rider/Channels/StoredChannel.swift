import Domain

/// A channel's state in Redis, read in one transaction.
package struct StoredChannel: Sendable {
    /// An entry of the channel's stream: a record of `rider.updates`.
    package struct Entry: Sendable, Equatable {
        package var event: EventID
        package var message: [UInt8]

        package init(event: EventID, message: [UInt8]) {
            self.event = event
            self.message = message
        }
    }

    /// The last events that each partition wrote to the channel; empty for an unknown channel.
    package var watermarks: [Int32: Watermark]
    /// For each of these partitions, the `rider.updates` offset before which everything is stored.
    package var progress: [Int32: Int64]
    /// The newest entries of the stream, oldest first.
    package var entries: [Entry]
    /// Whether ``entries`` has every entry of the stream.
    package var hasAllEntries: Bool
    /// The fields of the channel's hash without its watermarks, or of the trip's request if ``isRequest``.
    package var fields: [String: [UInt8]]

    package init(
        watermarks: [Int32: Watermark] = [:], progress: [Int32: Int64] = [:], entries: [Entry] = [],
        hasAllEntries: Bool = true, fields: [String: [UInt8]] = [:]
    ) {
        self.watermarks = watermarks
        self.progress = progress
        self.entries = entries
        self.hasAllEntries = hasAllEntries
        self.fields = fields
    }

    /// Whether this is a requested trip without a driver, for which no update was published yet.
    package var isRequest: Bool { watermarks.isEmpty && !fields.isEmpty }
}
