/// Parsed scrape, for the live table of the command line tool and for tests.
package struct MetricsSnapshot: Sendable {
    package struct Sample: Sendable, Equatable {
        package var name: String
        package var labels: [String: String]
        package var value: Double
    }

    package private(set) var samples: [Sample] = []
    /// `counter`, `gauge` or `histogram`, by metric name.
    package private(set) var types: [String: String] = [:]
    package private(set) var helps: [String: String] = [:]

    /// Parses the Prometheus text format, version 0.0.4.
    /// - Throws: ``MetricsSnapshotError`` for the first invalid line.
    package init(parsing text: String) throws(MetricsSnapshotError) {
        // By scalars, because a carriage return and a line feed are one Character.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            var reader = MetricsLineReader(line)
            guard read(&reader) else { throw MetricsSnapshotError(line: index + 1, text: String(line)) }
        }
    }

    /// Returns the value of exactly this series.
    package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    /// Returns the sum of all series of `name` with at least these labels.
    package func sum(_ name: String, where labels: [String: String] = [:]) -> Double {
        matching(name, labels).reduce(0) { $0 + $1.value }
    }

    func matching(_ name: String, _ labels: [String: String]) -> [Sample] {
        samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }
    }

    private mutating func read(_ reader: inout MetricsLineReader) -> Bool {
        reader.skipSpaces()
        if reader.isAtEnd { return true }
        if reader.skip("#") { return readComment(&reader) }
        guard let name = reader.name() else { return false }
        reader.skipSpaces()
        guard let labels = reader.labels() else { return false }
        reader.skipSpaces()
        guard let value = MetricsLineReader.number(reader.word()) else { return false }
        reader.skipSpaces()
        // A timestamp may follow.
        guard reader.isAtEnd || Int64(reader.word()) != nil else { return false }
        samples.append(Sample(name: name, labels: labels, value: value))
        return true
    }

    private mutating func readComment(_ reader: inout MetricsLineReader) -> Bool {
        reader.skipSpaces()
        let keyword = reader.word()
        guard keyword == "HELP" || keyword == "TYPE" else { return true }
        reader.skipSpaces()
        guard let name = reader.name() else { return false }
        reader.skipSpaces()
        if keyword == "TYPE" {
            types[name] = reader.word()
        } else {
            helps[name] = reader.unescapedRest()
        }
        return true
    }
}

/// Invalid line of the Prometheus text format.
package struct MetricsSnapshotError: Error, Equatable, CustomStringConvertible {
    /// 1-based.
    package let line: Int
    package let text: String

    package var description: String { "Line \(line) is not Prometheus text: \(text.prefix(120))" }
}
