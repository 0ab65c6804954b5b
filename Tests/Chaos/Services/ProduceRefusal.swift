/// Which writes to a topic are refused, and how.
struct ProduceRefusal: Sendable {
    /// What becomes of a request.
    enum Outcome: Equatable {
        case passed
        /// The connection is to be cut.
        case cut
        /// The request names a topic that does not exist, and the broker refuses it.
        case misdirected
    }

    private let topic: [UInt8]
    private let partition: Int32?

    /// Refuses writes to topics whose name contains `topic`.
    ///
    /// `partition`: the only one whose writes are refused: the broker refuses it as it refuses a partition that it does
    /// not lead, and the connection serves the others. `nil`: the connection is cut over which any of them is written.
    init(topic: String, partition: Int32? = nil) {
        self.topic = Array(topic.utf8)
        self.partition = partition
    }

    /// Decides about a whole request, its length in front, and changes one that is to be misdirected.
    func apply(to request: inout ArraySlice<UInt8>) -> Outcome {
        guard isProduce(request) else { return .passed }
        guard let partition else {
            // The name stands in the clear, whatever the compression of the records.
            return request.dropFirst(4).prefix(512).firstRange(of: topic) != nil ? .cut : .passed
        }
        guard let write = ProduceRequest(request), write.partition == partition,
            request[write.topic].firstRange(of: topic) != nil
        else { return .passed }
        let last = write.topic.upperBound - 1
        request[last] = request[last] == UInt8(ascii: "x") ? UInt8(ascii: "y") : UInt8(ascii: "x")
        return .misdirected
    }

    /// Produce has key 0; the header goes on with version, correlation and client.
    private func isProduce(_ request: ArraySlice<UInt8>) -> Bool {
        let start = request.startIndex + 4
        return request.count > 16 && request[start] == 0 && request[start + 1] == 0
    }
}
