import Domain

/// Reader of the track points of a GPX file (version 1.0 or 1.1), as rows of traces.
///
/// Each track is a trace that contains its segments in order. The driver id is the track's name; for a track without a
/// name, the file's name. A point requires `lat`, `lon` and `time`; `ele`, `speed` (m/s), `course` or `bearing`, and
/// `accuracy` or `hdop` are optional. Speed, course and accuracy may be in the point's extensions; time and elevation
/// must be children of the point in the GPX namespace. Waypoints and routes are ignored.
struct GPXTracks {
    /// Accuracy in metres at a dilution of precision of 1: the range error of a phone.
    static let metersPerDilution = 5.0

    /// Expected contents, for errors.
    static let expectation = "GPX with track points (trkpt) that have lat, lon and time"

    /// Elements read from a point.
    private static let elements: Set<String> = ["ele", "time", "speed", "course", "bearing", "accuracy", "hdop"]
    /// Elements read from a point's extensions, in any namespace.
    private static let extensionElements: Set<String> = ["speed", "course", "bearing", "accuracy", "hdop"]

    private struct Point {
        let line: Int
        /// Number of open elements, including the point.
        let depth: Int
        /// Depths of the open `extensions` element and of an open child in another namespace.
        var extensions: Int?
        var foreign: Int?
        let attributes: [String: String]
        /// Texts of the point's elements by name.
        var values: [String: String] = [:]
    }

    private var scanner: XMLScanner
    private let fileName: String
    private var point: Point?
    private var trackName = ""
    private var trace: (id: String, driverID: String)?
    private var tracks: [String: Int] = [:]
    private var text = ""
    /// Number of open elements, including empty elements.
    private var depth = 0
    /// Prefix of GPX names with its colon; empty if GPX is the default namespace.
    private var prefix = ""
    private var isAtEnd = false

    init(_ file: LineReader) {
        scanner = XMLScanner(file)
        fileName = DriverIDFormat.id(forFile: file.path)
    }

    /// Returns the next point or its fault; `nil` at the end.
    mutating func next() throws -> Result<TraceRow, RowFault>? {
        while !isAtEnd {
            do {
                guard let token = try scanner.next() else { break }
                if let row = process(token) { return row }
            } catch let fault as XMLScanner.Fault {
                isAtEnd = true
                return .failure(
                    RowFault(
                        line: fault.line, name: "damaged XML",
                        problem: .other("\(fault.sentence); the rest of the file is not read")))
            }
        }
        isAtEnd = true
        return nil
    }

    private mutating func process(_ token: XMLScanner.Token) -> Result<TraceRow, RowFault>? {
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
                self.point?.values[local] = text
            }
        } else if let foreign = point.foreign {
            if depth == foreign { self.point?.foreign = nil }
        } else if depth == point.depth + 1 {
            let local = String(name.dropFirst(prefix.count))
            if Self.elements.contains(local) { self.point?.values[local] = text }
        }
    }

    private func isOwn(_ name: String, _ local: String) -> Bool { name == prefix + local }

    private func isOpen(_ local: String) -> Bool { scanner.open.last.map { isOwn($0, local) } ?? false }

    private mutating func row(_ point: Point) -> Result<TraceRow, RowFault> {
        func cell(_ name: String, _ text: String?) -> RowCell {
            RowCell(line: point.line, name: name, text: CSVLine.trimmed(text?[...] ?? ""))
        }
        do {
            let coordinate = Coordinate(
                latitude: try cell("lat", point.attributes["lat"]).required(in: -90...90),
                longitude: try cell("lon", point.attributes["lon"]).required(in: -180...180))
            let at = try cell("time", point.values["time"]).time(unit: .seconds, assumesUTC: true)
            let trace = currentTrace()
            var row = TraceRow(traceID: trace.id, driverID: trace.driverID, at: at, coordinate: coordinate)
            func number(_ name: String) -> Double? {
                do {
                    return try cell(name, point.values[name]).number()
                } catch {
                    row.ignored.append(error)
                    return nil
                }
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
        let driver = DriverIDFormat.id(forName: trackName) ?? fileName
        tracks[driver, default: 0] += 1
        let count = tracks[driver] ?? 1
        let new = (id: count == 1 ? driver : "\(driver)-\(count)", driverID: driver)
        trace = new
        return new
    }
}
