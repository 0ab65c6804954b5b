import ArgumentParser
import Foundation
import PositionWorker
import Redis
import Runtime

/// `sightline nearest`: who is near a place now.
struct NearestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearest", abstract: "The drivers nearest to a place now, from Redis.",
        discussion: """
            Searches the cell of the place and every other cell that the circle touches, so that a driver across the \
            border of a cell is found. Drivers whom SIGHTLINE_NEAREST_DRIVERS leaves out (by default those flagged as \
            forgers) are not shown; a suspect who is shown is marked. Drivers silent for 10 minutes are not in the sets.

            Who was near a place before: sightline history near. docs/storage.md has the same question for redis-cli and \
            psql.
            """)

    @Argument(help: ArgumentHelp("The place: \(CoordinateArgument.form).", valueName: "latitude,longitude"))
    var place: CoordinateArgument

    @Option(help: "Distance in metres.")
    var radius = 5000.0

    @Option(help: "How many drivers at most.")
    var count = 10

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Print the keys of the sets that the circle touches, one a line, and ask Redis nothing.")
    var keys = false

    func validate() throws {
        guard radius > 0, radius <= NearestSearch.maximumRadiusMeters else {
            throw ValidationError("--radius is above 0, up to 200000 m.")
        }
        guard (1...100_000).contains(count) else { throw ValidationError("--count is 1 to 100000.") }
        if json, keys { throw ValidationError("Give --json or --keys, not both.") }
        guard abs(place.coordinate.latitude) <= GeoArea.maximumLatitude else {
            throw ValidationError(
                "Redis holds no positions beyond 85.05 degrees of latitude; `sightline history near` finds them.")
        }
    }

    func run() throws {
        let settings = try Settings(for: .commandLine)
        let configuration = try settings.positionSink()
        if keys {
            for cell in GeoArea.around(place.coordinate, radiusMeters: radius) {
                print("\(configuration.keyPrefix)drivers:geo:\(cell)")
            }
            return
        }
        let result = try NearestSearch(
            keyPrefix: configuration.keyPrefix, nearestDrivers: configuration.nearestDrivers,
            over: RedisConnection(configuration.redis)
        ).drivers(near: place.coordinate, radiusMeters: radius, count: count)
        let now = WallClock.milliseconds()
        let rows = result.drivers.map { NearbyDriverRow($0, now: now) }
        if json {
            FileHandle.standardOutput.write(try ReportFile.json(report(rows)))
        } else {
            print(text(result, rows, width: Terminal.current().width))
        }
    }

    private struct Report: Encodable {
        var latitude: Double
        var longitude: Double
        var radiusMeters: Double
        var drivers: [NearbyDriverRow]

        private enum CodingKeys: String, CodingKey {
            case latitude, longitude, drivers
            case radiusMeters = "radius_meters"
        }
    }

    private func report(_ rows: [NearbyDriverRow]) -> Report {
        Report(
            latitude: place.coordinate.latitude, longitude: place.coordinate.longitude, radiusMeters: radius,
            drivers: rows)
    }

    private func text(_ result: NearestSearch.Result, _ rows: [NearbyDriverRow], width: Int?) -> String {
        guard !rows.isEmpty else {
            let cells = Noun("cell").count(result.cells.count)
            return FittedTable.wrapped(
                "No driver is within \(Int(radius)) m (\(cells) searched, \(result.searchedCells) with drivers). "
                    + "--radius searches further; drivers silent for 10 minutes are not found.", width: width
            ).joined(separator: "\n")
        }
        let numbers: Set<String> = ["meters", "latitude", "longitude", "age_s", "heading", "speed_mps"]
        let names = [
            "driver_id", "meters", "latitude", "longitude", "age_s", "standing", "heading", "speed_mps", "trip_id",
            "fixed_at",
        ]
        var table = FittedTable(names.map { FittedTable.Column(name: $0, isNumeric: numbers.contains($0)) })
        table.advice = "widen the terminal, or use --json"
        for driver in rows {
            table.add([
                driver.driverID, "\(driver.meters)", "\(driver.latitude)", "\(driver.longitude)",
                "\(driver.ageSeconds)", driver.standing, driver.heading.map { "\($0)" } ?? "",
                driver.speedMps.map { "\($0)" } ?? "", driver.tripID ?? "", driver.fixedAt,
            ])
        }
        return (table.text(width: width) + [Noun.driver.count(rows.count)]).joined(separator: "\n")
    }
}
