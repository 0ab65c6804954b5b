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
    /// Translates a level of syslog.
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

extension KafkaLogLine {
    /// The same line as a debugging aid where the library warns of what is as it should be.
    var withoutNoise: KafkaLogLine {
        // A connection that fails is reported through the error callback, once per change; and properties go to
        // producers and consumers alike, each of which ignores the other's.
        let isConnection = facility == "FAIL" || facility == "ERROR"
        let isForeignProperty = facility == "CONFWARN" && text.contains("will be ignored by this")
        guard isConnection || isForeignProperty else { return self }
        var quiet = self
        quiet.level = .debug
        return quiet
    }
}
