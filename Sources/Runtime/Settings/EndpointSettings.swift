/// Listen address of the health and metrics endpoint.
package struct EndpointSettings: Sendable {
    package var host: String
    /// 0 selects a free port.
    package var port: Int

    init(_ reader: inout SettingsReader) {
        host = reader.text(.httpHost)
        port = reader.integer(.httpPort)
    }
}
