/// A recording under its name.
package struct NamedRecording: Sendable {
    package var name: String
    package var traces: [HeardTrace]

    package init(name: String, traces: [HeardTrace]) {
        self.name = name
        self.traces = traces
    }
}
