import NIOCore
import Testing

@testable import Gateways

@Suite("What waits for a slow client")
struct OutboxTests {
    private static func frame(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    private static func texts(_ outbox: SendQueue) -> [String] {
        var outbox = outbox
        var texts: [String] = []
        while let frame = outbox.popFirst() { texts.append(String(buffer: frame)) }
        return texts
    }

    @Test("a position gives way to the next one of its channel, and nothing else does")
    func coalescing() {
        var outbox = SendQueue()
        for (text, position): (String, String?) in [
            ("a1", "a"), ("eta1", nil), ("b1", "b"), ("a2", "a"), ("eta2", nil), ("a3", "a"),
        ] {
            let isTaken = outbox.append(Self.frame(text), position: position.map { ChannelName(.trip, $0) })
            #expect(isTaken)
        }
        #expect(Self.texts(outbox) == ["eta1", "b1", "eta2", "a3"])
    }

    @Test("takes no more than its limit, and positions that give way do not count")
    func limit() {
        var outbox = SendQueue()
        let taken = (0...SendQueue.limit).map { outbox.append(Self.frame("\($0)")) }
        #expect(taken.dropLast().allSatisfy { $0 } && taken.last == false)
        #expect(outbox.count == SendQueue.limit)
        var positions = SendQueue()
        let takenPositions = (0...SendQueue.limit).map {
            positions.append(Self.frame("\($0)"), position: ChannelName(.trip, "a"))
        }
        #expect(takenPositions.allSatisfy { $0 })
        #expect(Self.texts(positions) == ["\(SendQueue.limit)"])
    }
}
