/// Which Kafka requests are writes to a topic that is to refuse them.
struct ProduceRefusal: Sendable {
    private let topic: [UInt8]

    ///
    /// `topic`: a part of the topic's name.
    init(topic: String) { self.topic = Array(topic.utf8) }

    /// Whether a whole request, its length in front, is a Produce that names the topic.
    ///
    /// The name stands in the clear, whatever the compression of the records.
    func matches(_ request: ArraySlice<UInt8>) -> Bool {
        let body = request.dropFirst(4)
        // Produce has key 0; the header goes on with version, correlation and client.
        guard body.count > 12, body[body.startIndex] == 0, body[body.startIndex + 1] == 0 else { return false }
        return body.prefix(512).firstRange(of: topic) != nil
    }
}
