import NIOCore
import Testing

@testable import Gateways

@Suite("The send queue of a slow client")
struct SendQueueTests {
    private static func frame(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    private static func texts(_ queue: SendQueue) -> [String] {
        var queue = queue
        var texts: [String] = []
        while let frame = queue.popFirst() { texts.append(String(buffer: frame)) }
        return texts
    }

    @Test("a position is replaced by the next position of its channel, and all other frames are kept")
    func coalescing() {
        var queue = SendQueue()
        for (text, position): (String, String?) in [
            ("a1", "a"), ("eta1", nil), ("b1", "b"), ("a2", "a"), ("eta2", nil), ("a3", "a"),
        ] {
            let isAppended = queue.append(Self.frame(text), position: position.map { ChannelName(.trip, $0) })
            #expect(isAppended)
        }
        #expect(Self.texts(queue) == ["eta1", "b1", "eta2", "a3"])
    }

    @Test("the queue accepts frames up to its limit; replaced positions do not count")
    func limit() {
        var queue = SendQueue()
        let results = (0...SendQueue.limit).map { queue.append(Self.frame("\($0)")) }
        #expect(results.dropLast().allSatisfy { $0 } && results.last == false)
        #expect(queue.count == SendQueue.limit)
        var positions = SendQueue()
        let positionResults = (0...SendQueue.limit).map {
            positions.append(Self.frame("\($0)"), position: ChannelName(.trip, "a"))
        }
        #expect(positionResults.allSatisfy { $0 })
        #expect(Self.texts(positions) == ["\(SendQueue.limit)"])
    }
}
