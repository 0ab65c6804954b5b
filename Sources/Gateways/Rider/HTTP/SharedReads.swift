/// Shares what was read among all requests for the same, while it is read and for a second after that.
actor SharedReads<Key: Hashable & Sendable, Value: Sendable> {
    private let lifetime: Duration
    private let maximumCount: Int
    private var reads: [Key: Task<Value, any Error>] = [:]

    /// `maximumCount`: of keys that are kept at once; others are read without being shared.
    init(lifetime: Duration = .seconds(1), maximumCount: Int = 256) {
        self.lifetime = lifetime
        self.maximumCount = maximumCount
    }

    /// How many keys are kept.
    var count: Int { reads.count }

    /// What was read for `key`, by `read` where nothing is kept.
    /// - Throws: what `read` throws, which is not kept.
    func value(for key: Key, _ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        if let kept = reads[key] { return try await kept.value }
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
