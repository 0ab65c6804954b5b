import Logging

/// Level and format of the log.
package struct LogSettings: Sendable {
    package var level: Logger.Level
    package var format: LogFormat

    init(_ reader: inout SettingsReader) {
        level = reader.choice(.logLevel, as: Logger.Level.self)
        format = reader.choice(.logFormat, as: LogFormat.self)
    }
}
