import Synchronization

/// Makes ids of sessions, which are told apart from those of other runs.
final class SessionIDs: Sendable {
    private let count = Atomic<UInt64>(0)
    private let run = String(UInt32.random(in: 0...UInt32.max), radix: 36)

    func next() -> String { "\(run)-\(count.wrappingAdd(1, ordering: .relaxed).newValue)" }
}
