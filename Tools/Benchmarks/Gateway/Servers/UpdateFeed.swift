import Support

/// What takes updates to a server.
protocol UpdateFeed {
    /// Sends an update of a channel, soon.
    func send(_ update: ByteSlice, channel: ByteSlice, partition: Int32) throws
    /// Sends what waits, and waits for this long, in milliseconds.
    func poll(waitMilliseconds: Int) throws
    /// Waits until everything has been taken.
    func finish() throws
    func close()
}
