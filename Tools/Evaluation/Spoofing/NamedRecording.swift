/// A recording under its name.
package struct NamedRecording: Sendable {
    package var name: String
    package var traces: [ReceivedTrace]

    package init(name: String, traces: [ReceivedTrace]) {
        self.name = name
        self.traces = traces
    }
}
