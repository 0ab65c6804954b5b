/// Log line of librdkafka.
package struct KafkaLogLine: Sendable {
    /// librdkafka's syslog level, reduced to four levels.
    package enum Level: Sendable {
        case debug
        case info
        case warning
        case error
    }

    package var level: Level
    /// librdkafka's name of the source (`FAIL`, `REBALANCE`, …).
    package var facility: String
    package var text: String
}

/// Receiver of log lines on librdkafka's threads; must be fast and must not call a client.
package typealias KafkaLogHandler = @Sendable (KafkaLogLine) -> Void

extension KafkaLogLine.Level {
    /// Converts a syslog level: 0 (emergency) to 7 (debug).
    init(syslog: Int32) {
        switch syslog {
        case ...3: self = .error
        case 4: self = .warning
        case 5, 6: self = .info
        default: self = .debug
        }
    }
}

extension KafkaLogLine {
    /// The line, with level debug if it is reported elsewhere or needless.
    var withoutNoise: KafkaLogLine {
        // The error callback reports what these lines say. Producers ignore properties of consumers, and vice versa.
        let isReported = facility == "FAIL" || facility == "ERROR"
        let isForeignProperty = facility == "CONFWARN" && text.contains("will be ignored by this")
        guard isReported || isForeignProperty else { return self }
        var quiet = self
        quiet.level = .debug
        return quiet
    }
}
