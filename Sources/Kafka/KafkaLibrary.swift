import CRdKafka

/// Version checks of the loaded librdkafka.
package enum KafkaLibrary {
    /// Version of the loaded library, such as `2.16.0`.
    package static var version: String { String(cString: rd_kafka_version_str()) }

    /// Validates the loaded version.
    /// - Returns: a warning to log, if any.
    /// - Throws: ``KafkaError`` below 2.1.0, which can skip records after a pause, resume or rebalance.
    package static func check() throws(KafkaError) -> String? {
        try validate(version: rd_kafka_version(), text: version)
    }

    /// Validates a version, encoded as 0xMMmmrrxx like in librdkafka.
    static func validate(version: Int32, text: String) throws(KafkaError) -> String? {
        if version < 0x02_01_00_00 {
            throw KafkaError(
                .library,
                "librdkafka \(text) can skip records; install 2.13.2 or newer. In a checkout, "
                    + "deploy/local/install installs it, `deploy/sl` runs sightline with it, and "
                    + "`. .local/run/env` loads it into a shell.",
                isFatal: true)
        }
        if version < 0x02_0d_02_00 {
            return "librdkafka \(text) is older than the 2.13.2 that Sightline is tested with; install a newer one."
        }
        return nil
    }

    /// Whether cooperative rebalancing works reliably with synchronous commits (2.10.0 and newer).
    package static var supportsCooperativeRebalancing: Bool { rd_kafka_version() >= 0x02_0a_00_00 }
}
