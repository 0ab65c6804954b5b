import Synchronization

/// Limits the memory of request bodies above 64 KiB; smaller ones always fit.
final class LargeBodies: Sendable {
    static let smallBytes = 64 << 10
    private static let totalBytes = 64 << 20

    private let limit: Int
    private let reserved = Atomic(0)

    /// `limit` is the total in bytes.
    init(limit: Int = totalBytes) { self.limit = limit }

    /// Runs `body` with `bytes` reserved.
    /// - Returns: `nil` if the limit is reached.
    func with<Result>(_ bytes: Int, _ body: () async throws -> Result) async rethrows -> Result? {
        guard bytes > Self.smallBytes else { return try await body() }
        guard reserved.add(bytes, ordering: .relaxed).newValue <= limit else {
            reserved.subtract(bytes, ordering: .relaxed)
            return nil
        }
        defer { reserved.subtract(bytes, ordering: .relaxed) }
        return try await body()
    }
}
