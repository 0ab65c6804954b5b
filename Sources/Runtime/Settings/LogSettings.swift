import Logging

/// What is logged, and how it looks.
package struct LogSettings: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        case auto, json, text
    }

    package var level: Logger.Level
    package var format: Format

    init(_ reader: inout SettingsReader) {
        level = reader.choice(.logLevel, as: Logger.Level.self)
        format = reader.choice(.logFormat, as: Format.self)
    }
}
