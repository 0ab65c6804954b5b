/// One line that the client library wrote.
package struct KafkaLogLine: Sendable {
    /// How much it matters; the library's syslog levels folded into four.
    package enum Level: Sendable {
        case debug
        case info
        case warning
        case error
    }

    package var level: Level
    /// The library's short name of where it comes from (`FAIL`, `REBALANCE`, …).
    package var facility: String
    package var text: String
}

/// Receives log lines.
///
/// Called on threads of the client library: it must be quick and must not call a client.
package typealias KafkaLogHandler = @Sendable (KafkaLogLine) -> Void

extension KafkaLogLine.Level {
    ///
    /// `syslog`: 0 (emergency) to 7 (debug).
    init(syslog: Int32) {
        switch syslog {
        case ...3: self = .error
        case 4: self = .warning
        case 5, 6: self = .info
        default: self = .debug
        }
    }
}
