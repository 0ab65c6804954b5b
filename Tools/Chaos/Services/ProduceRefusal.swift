/// Which writes to a topic are refused, and how.
struct ProduceRefusal: Sendable {
    /// What becomes of a request.
    enum Outcome: Equatable {
        case passed
        /// The connection is to be cut.
        case cut
        /// The request goes no further, and this is the answer to it.
        case answered([UInt8])
    }

    private let topic: [UInt8]
    private let partition: Int32?

    /// Refuses writes to topics whose name contains `topic`.
    ///
    /// `partition`: the only one whose writes are refused, by the answer of a broker that does not lead it; the connection
    /// serves the others. `nil`: the connection is cut over which any of them is written.
    init(topic: String, partition: Int32? = nil) {
        self.topic = Array(topic.utf8)
        self.partition = partition
    }

    /// Decides about a whole request, its length in front.
    func outcome(of request: ArraySlice<UInt8>) -> Outcome {
        guard isProduce(request) else { return .passed }
        guard let partition else {
            // The name stands in the clear, whatever the compression of the records.
            return request.dropFirst(4).prefix(512).firstRange(of: topic) != nil ? .cut : .passed
        }
        guard let write = ProduceRequest(request), write.partition == partition,
            write.topic.firstRange(of: topic) != nil
        else { return .passed }
        return .answered(write.notLeaderResponse)
    }

    /// Produce has key 0; the header goes on with version, correlation and client.
    private func isProduce(_ request: ArraySlice<UInt8>) -> Bool {
        let start = request.startIndex + 4
        return request.count > 16 && request[start] == 0 && request[start + 1] == 0
    }
}
