/// A chunk of track that a fix completes.
struct TrackChunk {
    var hash: UInt64
    /// Stream time at which it was driven first; `nil` when it was not driven before.
    var firstSeen: Timestamp?
}
