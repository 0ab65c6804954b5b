import Codec
import Domain

/// The columns of a topic; they follow time, offset and key, and precede the text with details.
struct TailColumns {
    /// The column name of the record key.
    let key: String
    let columns: [(name: String, width: Int)]
    /// The column name of the text after the columns.
    let details: String
    /// The filters that the topic supports.
    let filters: Set<TailFilter.Kind>

    /// Creates the columns of a topic; `nil` for a topic of another application.
    init(_ topic: PipelineTopic?) {
        let event = ("event", 10)
        (key, columns, details, filters) =
            switch topic {
            case .rawLocations: ("driver", [("seq", 7), ("position", 21), ("trip", 10)], "report", [.driver, .trip])
            case .locations:
                (
                    "driver", [event, ("seq", 7), ("verdict", 9), ("position", 21), ("trip", 10)], "details",
                    [.driver, .trip, .reason]
                )
            case .warnings: ("driver", [event, ("reason", 17), ("action", 9)], "message", [.driver, .reason])
            case .tripWarnings:
                (
                    "trip", [event, ("driver", 10), ("reason", 15), ("state", 8)], "message",
                    [.driver, .trip, .reason]
                )
            case .trips: ("driver", [("trip", 10), ("state", 11), ("version", 7)], "plan", [.driver, .trip])
            case .tripEtas: ("trip", [event, ("driver", 10), ("state", 11)], "arrivals", [.driver, .trip])
            case .riderUpdates: ("channel", [event, ("type", 18)], "update", [.trip])
            case .locationsDeadLetter, .tripsDeadLetter:
                (
                    "driver", [("reason", 17), ("field", 12), ("of_offset", 10)], "message and value",
                    [.driver, .trip, .reason]
                )
            case .tracks: ("driver", [], "value", [.driver])
            case .roadSpeeds, nil: ("key", [], "value", [])
            }
    }

    var heading: String {
        line(time: "time", offset: "offset", key: key, cells: columns.map { $0.name }, details: details)
    }

    /// Formats a line; `paint` receives the index of a cell and its text.
    func line(
        time: String, offset: String, key: String, cells: [String], details: String,
        paint: (Int, String) -> String = { $1 }
    ) -> String {
        var parts = [time.padded(to: 24), offset.padded(to: 9), key.padded(to: 12)]
        for (index, column) in columns.enumerated() {
            let text = cells.indices.contains(index) && !cells[index].isEmpty ? cells[index] : "–"
            parts.append(paint(index, text) + .blanks(column.width - text.count))
        }
        parts.append(details)
        var line = parts.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }
}

/// A record as `sightline tail` prints it, with the properties for filters.
struct TailEntry {
    /// Cells in the order of ``TailColumns/columns``.
    var cells: [String] = []
    /// The text after the columns.
    var details = ""
    var driver: String?
    /// Trip ids; several if the fixes of a batch have different ones.
    var trips: [String] = []
    /// Reason codes, such as `TELEPORTATION`.
    var reasons: [String] = []
    /// The index of the coloured cell, and its colour.
    var highlight: (cell: Int, ink: StyledLine.Ink)?
    /// The headers of a dead letter; `nil` for other records.
    var deadLetter: DeadLetterHeaders?
}
