/// A chunk of track that a fix completes.
struct TrackChunk {
    var hash: UInt64
    /// Whether it was driven before, long enough ago.
    var isRepeated: Bool
}
