import ChildProcesses
import Foundation
import PositionWorker
import TestSupport
import Testing

@Suite(
    "sightline nearest", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint), .timeLimit(.minutes(10)))
struct NearestCommandTests {
    private let fixture: RedisFixture
    private let records = PositionRecords(.locations)

    init() throws { fixture = try RedisFixture() }

    private func add(_ driver: String, _ latitude: Double, _ longitude: Double, reasons: [String] = []) {
        records.addVerdict(of: driver, latitude: latitude, longitude: longitude, reasons: reasons)
    }

    private func write(_ adjust: (inout PositionSinkConfiguration) -> Void = { _ in }) throws {
        _ = try fixture.sink(adjust).write([records.batch()])
    }

    private var environment: [String: String] {
        ["REDIS_URL": RedisFixture.url ?? "", "SIGHTLINE_REDIS_PREFIX": fixture.prefix]
    }

    private func nearest(_ arguments: String..., extra: [String: String] = [:]) async throws -> String {
        try await Program.run(
            "sightline", ["nearest"] + arguments, environment: environment.merging(extra) { $1 },
            logs: FileManager.default.temporaryDirectory)
    }

    /// Returns the drivers that the command finds, in the order of its output.
    private func drivers(_ arguments: String..., extra: [String: String] = [:]) async throws -> [String] {
        let output = try await Program.run(
            "sightline", ["nearest", "--json"] + arguments, environment: environment.merging(extra) { $1 },
            logs: FileManager.default.temporaryDirectory)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        let drivers = try #require(json["drivers"] as? [[String: Any]])
        return drivers.compactMap { $0["driver_id"] as? String }
    }

    @Test("drivers within the radius are found across cell borders, sorted by distance")
    func cellBorder() async throws {
        // The query point is the common corner of four geohash cells.
        add("north_east", 51.3291, 0.001)
        add("north_west", 51.3284, -0.0005)
        add("south_east", 51.3272, 0.0015)
        add("south_west", 51.3262, -0.003)
        add("far", 51.3381, 0)
        try write()
        #expect(try fixture.redis.call("SCARD", "\(fixture.prefix)drivers:areas").integer == 4)
        let actual = try await drivers("51.328125,0", "--radius", "1000")
        #expect(actual == ["north_west", "north_east", "south_east", "south_west"])
        #expect(try await drivers("51.328125,0", "--radius", "1000", "--count", "2") == ["north_west", "north_east"])
        #expect(try await drivers("51.328125,0", "--radius", "1200").last == "far")
    }

    @Test("a driver is found even if many nearer members of the geo set have no hash")
    func staleMembers() async throws {
        add("there", 51.4, 0.1)
        try write()
        let area = try #require(
            try fixture.redis.call("SMEMBERS", "\(fixture.prefix)drivers:areas").elements.first?.text)
        for number in 0..<600 {
            try fixture.redis.call(
                "GEOADD", "\(fixture.prefix)drivers:geo:\(area)", "0.1", "\(51.399 - Double(number) / 1e6)",
                "gone\(number)")
        }
        #expect(try await drivers("51.395,0.1", "--radius", "2000", "--count", "1") == ["there"])
    }

    @Test(
        "drivers south of the equator are found on both sides of the date line",
        arguments: ["-16.5,179.9999", "-16.5,-179.9999"])
    func dateLine(center: String) async throws {
        add("west", -16.5, 179.999)
        add("east", -16.501, -179.998)
        try write()
        #expect(try await drivers(center, "--radius", "500") == ["west", "east"])
    }

    @Test("a driver at 85.04° latitude is found, and a search at 85.06° is an error that contains the limit")
    func highestLatitude() async throws {
        add("polar", 85.04, -30)
        add("eastern", 85.04, 30)
        try write()
        #expect(try await drivers("85.04,-29.99", "--radius", "100") == ["polar"])
        let error = await #expect(throws: Program.Failure.self) { try await drivers("85.06,0") }
        #expect(error?.description.contains("85.05 degrees") == true)
    }

    @Test("suspects and flagged drivers are marked, and included according to SIGHTLINE_NEAREST_DRIVERS")
    func suspectsAndFlaggedDrivers() async throws {
        add("honest", 48.14, 11.58)
        add("suspect", 48.141, 11.58, reasons: ["SUSPECT"])
        add("flagged", 48.142, 11.58, reasons: ["FLAGGED"])
        try write { $0.nearestDrivers = .all }
        #expect(try await drivers("48.14,11.58", extra: ["SIGHTLINE_NEAREST_DRIVERS": "all"]).count == 3)
        #expect(try await drivers("48.14,11.58") == ["honest", "suspect"])
        #expect(try await drivers("48.14,11.58", extra: ["SIGHTLINE_NEAREST_DRIVERS": "unsuspected"]) == ["honest"])
        let table = try await nearest("48.14,11.58", extra: ["SIGHTLINE_NEAREST_DRIVERS": "all"])
        let lines = table.split(separator: "\n")
        #expect(lines.first { $0.hasPrefix("suspect") }?.contains(" suspect ") == true, "\(table)")
        #expect(lines.first { $0.hasPrefix("flagged") }?.contains(" flagged ") == true, "\(table)")
        #expect(lines.last == "3 drivers")
    }

    @Test("a driver whose hash has another area than the geo set is not found")
    func movedDriver() async throws {
        add("drv_1", 48.14, 11.58)
        try write()
        try fixture.redis.call("HSET", "\(fixture.prefix)driver:drv_1", "area", "9q8y")
        let output = try await nearest("48.14,11.58", "--radius", "100")
        #expect(output.contains("No driver is within 100 m (1 cell searched, 1 with drivers)"), "\(output)")
    }

    @Test("both GEOSEARCH scripts of docs/storage.md find drivers on both sides of a cell border")
    func documentedCommands() async throws {
        add("north_west", 51.3284, -0.0005)
        add("south_east", 51.3272, 0.0015)
        add("far", 51.3481, 0)
        try write()
        let text = try Checkout.text("docs/storage.md")
        let blocks = text.components(separatedBy: "```sh\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        let recipes = blocks.filter { $0.contains("GEOSEARCH") }
        #expect(recipes.count == 2)
        let address = try RedisFixture.address()
        for recipe in recipes {
            let script =
                "redis-cli() { command redis-cli -h '\(address.host)' -p \(address.port) \"$@\"; }\n"
                + recipe.replacingOccurrences(of: "drivers:", with: "\(fixture.prefix)drivers:")
            let shell = try ChildProcess.run(
                "/bin/bash", ["-euo", "pipefail", "-c", script],
                environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }.merging([
                    "PATH": "\(Program.folder.path):/usr/local/bin:/usr/bin:/bin", "LATITUDE": "51.328125",
                    "LONGITUDE": "0", "METERS": "1000",
                ]) { $1 })
            let output = String(decoding: shell.output, as: UTF8.self)
            #expect(shell.ending == .exit(0), "\(output)")
            let drivers = output.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
            #expect(drivers == ["north_west", "south_east"], "\(recipe)\n\(output)")
        }
    }
}
