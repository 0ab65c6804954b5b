import Foundation

/// What all runs together say of each kind of fault.
struct FaultTable {
    let outcomes: [FaultOutcome]

    var text: String {
        let rows = Dictionary(grouping: outcomes.lazy.filter { !$0.isSkipped }, by: \.kind).sorted { $0.key < $1.key }
        var lines = ["fault                   times  recovery median    longest"]
        for (kind, outcomes) in rows {
            let seconds = outcomes.compactMap(\.recoverySeconds).sorted()
            let median = seconds.isEmpty ? nil : seconds[seconds.count / 2]
            let longest = seconds.count < outcomes.count ? nil : seconds.last
            let columns = [
                kind.padding(toLength: 22, withPad: " ", startingAt: 0), Self.right("\(outcomes.count)", 6),
                Self.right(Text.seconds(median), 16), Self.right(Text.seconds(longest), 10),
            ]
            lines.append(columns.joined(separator: " "))
        }
        let skipped = Set(outcomes.lazy.filter(\.isSkipped).map(\.kind)).sorted()
        if !skipped.isEmpty { lines.append("skipped: \(skipped.joined(separator: ", "))") }
        return lines.joined(separator: "\n")
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
