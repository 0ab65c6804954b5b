import Support

/// A channel that is watched, and by how many subscriptions of each event loop.
final class WatchedChannel<Name: CustomStringConvertible> {
    let name: Name
    /// By number of event loop.
    var subscriptions: [Int]
    private let storage: UnsafeMutableRawBufferPointer

    init(_ name: Name, loops: Int) {
        self.name = name
        subscriptions = Array(repeating: 0, count: loops)
        let text = name.description.utf8
        storage = .allocate(byteCount: text.count, alignment: 1)
        storage.copyBytes(from: text)
    }

    deinit { storage.deallocate() }

    var isWatched: Bool { subscriptions.contains { $0 > 0 } }

    /// The key of the channel's records, as long as the channel lives.
    var key: ByteSlice { ByteSlice(UnsafeRawBufferPointer(storage)) }
}
