/// Where the health and metrics endpoint listens.
package struct EndpointSettings: Sendable {
    package var host: String
    /// 0 takes any free port.
    package var port: Int

    init(_ reader: inout SettingsReader) {
        host = reader.text(.httpHost)
        port = reader.integer(.httpPort)
    }
}
