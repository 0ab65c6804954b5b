import Synchronization

/// Lock-free floating-point number for metrics; all operations are relaxed.
struct AtomicDouble: ~Copyable, Sendable {
    private let bits: Atomic<UInt64>

    init(_ value: Double = 0) { bits = Atomic(value.bitPattern) }

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func store(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func add(_ amount: Double) {
        var current = bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: current) + amount
            let (exchanged, original) = bits.weakCompareExchange(
                expected: current, desired: sum.bitPattern, ordering: .relaxed)
            if exchanged { return }
            current = original
        }
    }
}
