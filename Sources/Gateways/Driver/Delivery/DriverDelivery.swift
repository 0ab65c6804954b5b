import Kafka

/// Session or HTTP request that queued a record and receives its delivery report.
enum RecordOrigin {
    /// `record` is the index in the session, `messageID` the message's id as JSON text.
    case session(DriverSession, record: Int, messageID: String?)
    case upload(RecordUpload)
}

/// Delivery report of a record, for the event loop that queued the record.
///
/// `record` is the record's number on the event loop; `error` is `nil` if Kafka has acknowledged the record.
typealias DriverDelivery = (record: Int, error: KafkaError?)

/// Encoding of a record's event loop and number in one integer.
enum DriverDeliveryToken {
    private static let loopBits = 10
    static let maximumLoops = 1 << loopBits

    static func make(loop: Int, record: Int) -> Int { record << loopBits | loop }

    static func loop(of token: Int) -> Int { token & (maximumLoops - 1) }
    static func record(of token: Int) -> Int { token >> loopBits }
}
