/// Reads that requests for the same key share, while a read runs and for ``lifetime`` afterwards.
actor ReadCoalescer<Key: Hashable & Sendable, Value: Sendable> {
    private let lifetime: Duration
    private let maximumCount: Int
    private var reads: [Key: Task<Value, any Error>] = [:]

    /// `maximumCount`: maximum number of keys shared at once; reads of further keys are not shared.
    init(lifetime: Duration = .seconds(1), maximumCount: Int = 256) {
        self.lifetime = lifetime
        self.maximumCount = maximumCount
    }

    var count: Int { reads.count }

    /// Returns the shared value of `key`, or calls `read`, whose errors reach only requests that are already waiting.
    func value(for key: Key, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if let shared = reads[key] { return try await shared.value }
        guard reads.count < maximumCount else { return try await read() }
        let new = Task { try await read() }
        reads[key] = new
        do {
            let value = try await new.value
            Task {
                try? await Task.sleep(for: lifetime)
                reads[key] = nil
            }
            return value
        } catch {
            reads[key] = nil
            throw error
        }
    }
}
