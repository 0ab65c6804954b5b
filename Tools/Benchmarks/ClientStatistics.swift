import Foundation

/// The statistics of one client of librdkafka, without the members that the benchmark does not use.
struct ClientStatistics: Decodable {
    struct Broker: Decodable {
        /// Bytes of all responses.
        var rxbytes: Double
    }

    var brokers: [String: Broker]

    var receivedBytes: Double { brokers.values.reduce(0) { $0 + $1.rxbytes } }

    /// - Throws: an error of the decoder if `json` has no brokers.
    init(json: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(json.utf8)) }
}
