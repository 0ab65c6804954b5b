import Testing

@testable import Gateways
@testable import Support

@Suite("Queue shares of partitions")
struct QueueShareTests {
    private static let now = Timestamp(milliseconds: 1000)

    private static func shares(records: Int = 1000, bytes: Int = 1_000_000) -> QueueShares {
        QueueShares(topics: ["a", "b"], partitions: 6, maximumRecords: records, maximumBytes: bytes)
    }

    /// Queues records until the share is full, and returns their number.
    private static func fill(_ share: Int, of shares: QueueShares, bytes: Int = 1) -> Int {
        var count = 0
        while count < 100_000, shares.admits(share, bytes: bytes) {
            shares.add(share, bytes: bytes, at: now)
            count += 1
        }
        return count
    }

    @Test("a single partition may use a fifth of the queue")
    func fifth() { #expect(Self.fill(0, of: Self.shares()) == 200) }

    @Test("stuck partitions leave room for other partitions", arguments: [1, 4, 11])
    func stuck(count: Int) {
        let shares = Self.shares()
        for share in 0..<count { _ = Self.fill(share, of: shares) }
        let available = Self.fill(11, of: shares)
        #expect(available > 10, "\(available)")
    }

    @Test("a partition of large records leaves room for other partitions")
    func bytes() {
        let shares = Self.shares()
        let large = Self.fill(0, of: shares, bytes: 10_000)
        #expect(large == 20)
        #expect(Self.fill(1, of: shares, bytes: 10_000) > 10)
    }

    @Test("an empty partition may always queue one record")
    func first() {
        let shares = Self.shares(records: 1, bytes: 1)
        shares.add(0, bytes: 1, at: Self.now)
        #expect(shares.admits(1, bytes: 1 << 20) && !shares.admits(0, bytes: 1))
    }

    @Test("acknowledged records free the share")
    func returned() {
        let shares = Self.shares()
        let count = Self.fill(3, of: shares, bytes: 10)
        for _ in 0..<count { shares.remove(3, bytes: 10, at: Self.now) }
        #expect(Self.fill(3, of: shares, bytes: 10) == count)
    }

    @Test("a partition is reported as stalled 5 s after its last acknowledgement", arguments: [4999, 5000, 7999])
    func stalled(milliseconds: Int64) {
        let shares = Self.shares()
        let share = shares.index(topic: 1, partition: 4)
        shares.add(share, bytes: 1, at: Timestamp(milliseconds: 0))
        shares.add(share, bytes: 1, at: Self.now)
        shares.remove(share, bytes: 1, at: Self.now)
        shares.add(0, bytes: 1, at: Self.now)
        shares.remove(0, bytes: 1, at: Self.now)
        let stalled = shares.stalled(at: Timestamp(milliseconds: 1000 + milliseconds), for: .seconds(5))
        #expect(stalled.isEmpty == (milliseconds < 5000))
        guard let first = stalled.first else { return }
        #expect(stalled.count == 1 && first.topic == "b" && first.partition == 4 && first.state == .waiting)
        #expect(first.unacknowledgedSeconds == Int(milliseconds / 1000))
    }
}
