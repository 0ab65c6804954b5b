import Support

/// The sequence numbers that a device has given the fixes of one record.
package struct SequenceSpan {
    /// The session within which the numbers count, empty where the device names none; valid as long as the message.
    package var session: ByteSlice
    package var lowest: Int64
    package var highest: Int64

    package init(session: ByteSlice, lowest: Int64, highest: Int64) {
        self.session = session
        self.lowest = lowest
        self.highest = highest
    }
}
