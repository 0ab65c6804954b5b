import CRdKafka

/// The client library that this process was started with.
package enum KafkaLibrary {
    /// The version text, for the log (`2.16.0`).
    package static var version: String { String(cString: rd_kafka_version_str()) }

    /// Checks the version of the client library in use.
    /// - Returns: a sentence to log as a warning; `nil` when the version is fine.
    /// - Throws: ``KafkaError`` below 2.1.0, where batches can skip records after a pause, resume or rebalance.
    package static func check() throws(KafkaError) -> String? {
        try judge(version: rd_kafka_version(), text: version)
    }

    /// Judges a version of the library.
    ///
    /// `version`: as librdkafka packs it, 0xMMmmrrxx.
    static func judge(version: Int32, text: String) throws(KafkaError) -> String? {
        if version < 0x02_01_00_00 {
            throw KafkaError(
                .library,
                "The program was started with librdkafka \(text), which can skip records; it needs 2.13.2 or newer. In a "
                    + "checkout deploy/local/install gets one: `deploy/sl` runs sightline with it, and "
                    + "`. .local/run/env` loads it into a shell.",
                isFatal: true)
        }
        if version < 0x02_0d_02_00 {
            return "librdkafka \(text) is older than the 2.13.2 that Sightline is tested with; install a newer one."
        }
        return nil
    }

    /// Whether cooperative rebalancing can be trusted with synchronous commits (2.10.0 and newer).
    package static var supportsCooperativeRebalancing: Bool { rd_kafka_version() >= 0x02_0a_00_00 }
}
