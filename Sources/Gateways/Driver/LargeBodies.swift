import Synchronization

/// Bounds the memory of request bodies above 64 KiB that are being received or written; smaller ones always fit.
final class LargeBodies: Sendable {
    static let smallBytes = 64 << 10
    private static let totalBytes = 64 << 20

    private let limit: Int
    private let held = Atomic(0)

    /// `limit`: in bytes, of all together.
    init(limit: Int = totalBytes) { self.limit = limit }

    /// Runs `body` with room for `bytes`.
    /// - Returns: `nil` where there is no room for now.
    func with<Result>(_ bytes: Int, _ body: () async throws -> Result) async rethrows -> Result? {
        guard bytes > Self.smallBytes else { return try await body() }
        guard held.add(bytes, ordering: .relaxed).newValue <= limit else {
            held.subtract(bytes, ordering: .relaxed)
            return nil
        }
        defer { held.subtract(bytes, ordering: .relaxed) }
        return try await body()
    }
}
