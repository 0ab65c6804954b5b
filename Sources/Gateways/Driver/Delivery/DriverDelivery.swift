import Kafka

/// Session or HTTP request that queued a record and receives its delivery report.
enum RecordOrigin {
    /// `record` is the index in the session, `messageID` the message's id as JSON text.
    case session(DriverSession, record: Int, messageID: String?)
    case upload(RecordUpload)
}

/// Delivery report of a record, for the event loop that queued the record.
///
/// `record` is its number among those of the event loop; `error` is `nil` if Kafka has acknowledged it.
typealias DriverDelivery = (record: Int, error: KafkaError?)

/// Encodes the event loop and the number of a record in one integer.
enum DriverDeliveryToken {
    private static let loopBits = 10
    static let maximumLoops = 1 << loopBits

    static func make(loop: Int, record: Int) -> Int { record << loopBits | loop }

    static func loop(of token: Int) -> Int { token & (maximumLoops - 1) }
    static func record(of token: Int) -> Int { token >> loopBits }
}
