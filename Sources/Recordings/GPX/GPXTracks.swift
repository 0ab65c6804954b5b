import Codec
import Model
import Support

/// The track points of a GPX file, versions 1.0 and 1.1, as rows of traces.
///
/// Each track is a trace, and its segments follow one another in it. The driver is the track's name, or the file's where
/// a track has none. A point needs `lat`, `lon` and `time`; `ele`, `speed` (m/s), `course` or `bearing`, and `accuracy`
/// or `hdop` are read where they stand in the point or in its extensions. A point's time and elevation are children of
/// the point in the namespace of GPX: elements of the same name in another namespace, or inside extensions, are others'.
/// Waypoints and routes are no tracks.
struct GPXTracks {
    /// The accuracy of a position with a dilution of precision of 1, in metres: the error of a phone's ranges.
    static let metersPerDilution = 5.0

    /// What a file has to have, for errors.
    static let expectation = "GPX with track points (trkpt) that have lat, lon and time"

    /// What is read of a point's own elements.
    private static let elements: Set<String> = ["ele", "time", "speed", "course", "bearing", "accuracy", "hdop"]
    /// What is read in the extensions of a point, whatever the namespace.
    private static let extensionElements: Set<String> = ["speed", "course", "bearing", "accuracy", "hdop"]

    private struct Point {
        let line: Int
        /// How many elements are open around its children.
        let depth: Int
        /// The depth inside its extensions, or inside an element of another namespace.
        var extensions: Int?
        var foreign: Int?
        let attributes: [String: String]
        /// Texts of the elements inside, by name.
        var values: [String: String] = [:]
    }

    private var scanner: XMLScanner
    private let fileName: String
    private var point: Point?
    private var trackName = ""
    private var trace: (id: String, driverID: String)?
    private var tracks: [String: Int] = [:]
    private var text = ""
    /// How many elements are open, those that end themselves included.
    private var depth = 0
    /// The prefix of the names of GPX, with its colon; empty where that is the default namespace.
    private var prefix = ""
    private var isAtEnd = false

    init(_ file: LineReader) {
        scanner = XMLScanner(file)
        fileName = RecordedName.driver(ofFile: file.path)
    }

    /// The next point, or what is wrong with it; `nil` at the end.
    mutating func next() throws -> Result<TraceRow, RowFault>? {
        while !isAtEnd {
            do {
                guard let token = try scanner.next() else { break }
                if let row = take(token) { return row }
            } catch let fault as XMLScanner.Fault {
                // What comes after it cannot be told apart.
                isAtEnd = true
                return .failure(
                    RowFault(
                        line: fault.line, name: "damaged XML",
                        problem: .other("\(fault.sentence); what follows is not read")))
            }
        }
        isAtEnd = true
        return nil
    }

    private mutating func take(_ token: XMLScanner.Token) -> Result<TraceRow, RowFault>? {
        switch token {
        case .start(let name, let attributes):
            depth += 1
            text = ""
            begin(name, attributes)
        case .text(let more): text += more
        case .end(let name):
            defer {
                depth -= 1
                text = ""
            }
            if let point, depth == point.depth {
                self.point = nil
                return row(point)
            }
            if point != nil { endInPoint(name) } else if isOwn(name, "name"), isOpen("trk") { trackName = text }
        }
        return nil
    }

    private mutating func begin(_ name: String, _ attributes: [String: String]) {
        if depth == 1 {
            prefix = name.hasSuffix(":gpx") ? String(name.dropLast(3)) : ""
        } else if point != nil {
            beginInPoint(name, attributes)
        } else if isOwn(name, "trk") {
            trackName = ""
            trace = nil
        } else if isOwn(name, "trkpt") {
            point = Point(line: scanner.line, depth: depth, attributes: attributes)
        }
    }

    private mutating func beginInPoint(_ name: String, _ attributes: [String: String]) {
        guard point?.extensions == nil, point?.foreign == nil else { return }
        if isOwn(name, "extensions") {
            point?.extensions = depth
        } else if !name.hasPrefix(prefix) || name.dropFirst(prefix.count).contains(":")
            || attributes["xmlns"].map({ !$0.contains("topografix.com/GPX") }) == true
        {
            point?.foreign = depth
        }
    }

    private mutating func endInPoint(_ name: String) {
        guard let point else { return }
        if let extensions = point.extensions {
            let local = name.split(separator: ":").last.map(String.init) ?? name
            if depth == extensions {
                self.point?.extensions = nil
            } else if Self.extensionElements.contains(local), point.values[local] == nil {
                self.point?.values[local] = text.trimmed
            }
        } else if let foreign = point.foreign {
            if depth == foreign { self.point?.foreign = nil }
        } else if depth == point.depth + 1 {
            let local = String(name.dropFirst(prefix.count))
            if Self.elements.contains(local) { self.point?.values[local] = text.trimmed }
        }
    }

    private func isOwn(_ name: String, _ local: String) -> Bool { name == prefix + local }

    private func isOpen(_ local: String) -> Bool { scanner.open.last.map { isOwn($0, local) } ?? false }

    private mutating func row(_ point: Point) -> Result<TraceRow, RowFault> {
        do {
            let coordinate = Coordinate(
                latitude: try Self.required(point, "lat", in: -90...90),
                longitude: try Self.required(point, "lon", in: -180...180))
            let at = try Self.time(point)
            let trace = currentTrace()
            var row = TraceRow(traceID: trace.id, driverID: trace.driverID, at: at, coordinate: coordinate)
            func number(_ name: String) -> Double? {
                guard let text = point.values[name], !text.isEmpty else { return nil }
                if let number = Double(text), number.isFinite { return number }
                row.ignored.append(RowFault(line: point.line, name: name, value: text, problem: .noNumber))
                return nil
            }
            row.line = point.line
            row.altitudeMeters = number("ele")
            row.speedMetersPerSecond = number("speed")
            row.headingDegrees = number("course") ?? number("bearing")
            row.accuracyMeters = number("accuracy") ?? number("hdop").map { $0 * Self.metersPerDilution }
            return .success(row)
        } catch {
            return .failure(error)
        }
    }

    private mutating func currentTrace() -> (id: String, driverID: String) {
        if let trace { return trace }
        let driver = RecordedName.driver(trackName) ?? fileName
        tracks[driver, default: 0] += 1
        let count = tracks[driver] ?? 1
        let new = (id: count == 1 ? driver : "\(driver)-\(count)", driverID: driver)
        trace = new
        return new
    }

    private static func required(
        _ point: Point, _ name: String, in range: ClosedRange<Double>
    ) throws(RowFault) -> Double {
        let text = point.attributes[name]?.trimmed ?? ""
        func fault(_ problem: RowFault.Problem) -> RowFault {
            RowFault(line: point.line, name: name, value: text, problem: problem)
        }
        guard !text.isEmpty else { throw fault(.missing) }
        guard let number = Double(text), number.isFinite else { throw fault(.noNumber) }
        guard range.contains(number) else { throw fault(.outside(FaultText.words(range))) }
        return number
    }

    private static func time(_ point: Point) throws(RowFault) -> Timestamp {
        let text = point.values["time"] ?? ""
        guard !text.isEmpty else { throw RowFault(line: point.line, name: "time", problem: .missing) }
        do {
            return try RecordedTime.read(text, unit: .seconds, assumesUTC: true)
        } catch {
            throw RowFault(line: point.line, name: "time", value: text, problem: error.problem)
        }
    }
}

extension String {
    /// Without white space at either end.
    fileprivate var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
