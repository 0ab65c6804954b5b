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
    func alone() { #expect(Self.fill(0, of: Self.shares()) == 200) }

    @Test("stuck partitions leave room for the others", arguments: [1, 4, 11])
    func stuck(count: Int) {
        let shares = Self.shares()
        for share in 0..<count { _ = Self.fill(share, of: shares) }
        let left = Self.fill(11, of: shares)
        #expect(left > 10, "\(left)")
    }

    @Test("large records leave room for the others")
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

    @Test("a partition is reported 5 s after its last acknowledgement", arguments: [4999, 5000, 7999])
    func stalled(milliseconds: Int64) {
        let shares = Self.shares()
        let share = shares.index(topic: 1, partition: 4)
        shares.add(share, bytes: 1, at: Timestamp(milliseconds: 0))
        shares.add(share, bytes: 1, at: Self.now)
        shares.remove(share, bytes: 1, at: Self.now)
        shares.add(0, bytes: 1, at: Self.now)
        shares.remove(0, bytes: 1, at: Self.now)
        let found = shares.stalled(at: Timestamp(milliseconds: 1000 + milliseconds), for: .seconds(5))
        #expect(found.isEmpty == (milliseconds < 5000))
        guard let one = found.first else { return }
        #expect(found.count == 1 && one.topic == "b" && one.partition == 4 && one.state == .waiting)
        #expect(one.unacknowledgedSeconds == Int(milliseconds / 1000))
    }
}
