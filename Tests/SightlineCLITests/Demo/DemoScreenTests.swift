import Testing

@testable import Model
@testable import SightlineCLI
@testable import Simulation

@Suite("What a terminal shows of a run")
struct DemoScreenTests {
    /// A small town with a fleet at its crossings, as the simulation builds it from a seed.
    static var map: FleetMap {
        var streets = StreetNetworkConfiguration()
        (streets.columns, streets.rows) = (20, 20)
        let network = StreetNetworkBuilder.build(
            center: Coordinate(latitude: 48.1374, longitude: 11.5755), configuration: streets, seed: 1)
        let vehicles = stride(from: 0, to: network.crossings.count, by: 9).map { crossing in
            FleetMap.Vehicle(
                coordinate: network.plane.coordinate(of: network.crossings[crossing]), isSuspect: crossing % 81 == 0)
        }
        return FleetMap(streets: FleetMap.Streets(network), vehicles: vehicles)
    }

    static var screen: DemoScreen {
        var screen = DemoScreen(
            phase: "200 simulated drivers", elapsedSeconds: 65,
            figures: [
                ("drivers", "200"), ("locations", "10835, 181/s, 3 without a verdict yet"),
                ("verdicts", "accepted 10615, late 47, duplicate 61, throttled 0, rejected 188"), ("ETAs", "11408"),
                ("riders", "13894 updates, p50 12 ms, p99 41 ms"), ("warnings", "40, dead letters 0"),
            ])
        screen.workers = WorkerRow.stages.enumerated().map { number, stage in
            WorkerRow(
                stage: stage, instances: number == 3 ? 0 : 1 + number % 2, partitions: 6, recordsIn: 1000,
                lag: number * 7,
                recordsPerSecond: number == 4 ? nil : 180 + number)
        }
        screen.series = [
            ("locations/s", (0..<70).map { 100 + ($0 * 37) % 90 }, "181/s"),
            ("latency p50", (0..<70).map { $0 == 5 ? nil : 10 + $0 % 5 }, "12 ms"),
            ("latency p99", (0..<70).map { 30 + ($0 * $0) % 50 }, "41 ms"),
        ]
        screen.map = map
        screen.accusations = [
            FleetPlaces.Accusation(driverID: "drv_17", code: "TELEPORTATION", action: "REJECT"),
            FleetPlaces.Accusation(driverID: "drv_104", code: "MOCK_LOCATION", action: "FLAG"),
        ]
        return screen
    }

    private func text(_ columns: Int, _ rows: Int, hasColor: Bool = false) -> [String] {
        Self.screen.lines(columns: columns, rows: rows, hasColor: hasColor).map { $0.text(hasColor: hasColor) }
    }

    @Test(
        "it is as stored at 80 and 160 columns, and on a narrow one of 42", arguments: [(80, 45), (160, 45), (42, 45)])
    func stored(columns: Int, rows: Int) throws {
        try StoredText("demo/screen-\(columns).txt").expect(text(columns, rows))
    }

    @Test("no size of a terminal gets more lines or columns than it has", arguments: [false, true])
    func fits(hasColor: Bool) {
        for columns in [1, 2, 10, 41, 42, 43, 79, 80, 81, 119, 120, 121, 160, 300] {
            for rows in [0, 1, 5, 17, 24, 40, 60] {
                let lines = Self.screen.lines(columns: columns, rows: rows, hasColor: hasColor)
                #expect(lines.count <= rows, "\(columns) by \(rows)")
                #expect(lines.allSatisfy { $0.width <= columns }, "\(columns) by \(rows)")
            }
        }
    }

    @Test("a terminal with few rows gets the figures without a map")
    func fewRows() {
        let lines = text(80, 19)
        #expect(lines.count == 16 && lines.last?.contains("history-worker") == true, "\(lines)")
        #expect(text(80, 22).count == 22)
    }

    @Test("colours mark what is suspect and what has ended, and without colours letters do")
    func colors() {
        let bad = "\u{1b}[1;31m"
        let colored = text(160, 45, hasColor: true).joined(separator: "\n")
        for part in ["●", "drv_17\u{1b}[0m", "0\u{1b}[0m"] { #expect(colored.contains(bad + part), "\(part)") }
        let plain = text(160, 45).joined(separator: "\n")
        #expect(!plain.contains("\u{1b}") && !plain.contains("●") && plain.contains("x"))
        #expect(Terminal.wantsColors([:]) && Terminal.wantsColors(["NO_COLOR": ""]))
        #expect(!Terminal.wantsColors(["NO_COLOR": "1"]))
    }

    @Test("a run without streets is drawn on the way that its vehicles came, and one without positions says so")
    func recording() {
        let places = (0..<50).map { Double($0) * 0.0001 }.map { Coordinate(latitude: 48 + $0, longitude: 11 + $0) }
        let map = FleetMap(
            vehicles: [FleetMap.Vehicle(coordinate: places[49], isSuspect: false)], trail: places)
        let lines = map.lines(columns: 20, rows: 10, hasColor: false).map { $0.text(hasColor: false) }
        #expect(lines.count == 10)
        #expect(lines.first?.contains("o") == true, "north is up: \(lines)")
        #expect(lines.last?.contains { $0 != " " } == true)
        #expect(FleetMap().lines(columns: 20, rows: 10, hasColor: false) == [StyledLine("no position yet", .faint)])
        let standing = FleetMap(vehicles: [FleetMap.Vehicle(coordinate: places[0], isSuspect: true)])
        let one = standing.lines(columns: 9, rows: 3, hasColor: false).map { $0.text(hasColor: false) }
        #expect(one.contains { $0.contains("x") }, "\(one)")
    }

    @Test("who is accused is on the list until the accusation is over; other warnings are not")
    func accusations() {
        var places = FleetPlaces()
        places.note("a", LocationWarning(reason: .teleportation, action: .reject))
        places.note("b", LocationWarning(reason: .mockLocation, action: .flag))
        places.note("c", LocationWarning(reason: .rateLimited, action: .none))
        places.note("a", LocationWarning(reason: .teleportation, action: .review))
        #expect(places.newestFirst.map(\.driverID) == ["a", "b"])
        #expect(places.newestFirst.first?.action == "REVIEW" && places.newestFirst.last?.code == "MOCK_LOCATION")
        let here = Coordinate(latitude: 1, longitude: 2)
        places.note("b", at: here)
        #expect(places.vehicles == [FleetMap.Vehicle(coordinate: here, isSuspect: true)])
        places.note("b", LocationWarning(reason: .mockLocation, action: .resolved))
        #expect(places.newestFirst.map(\.driverID) == ["a"] && places.vehicles.first?.isSuspect == false)
    }

    @Test("sparklines reach from the lowest bar to the highest value shown, the newest at the end")
    func sparklines() {
        #expect(Sparkline.text([0, 7, 3], width: 10) == "▁█▄")
        #expect(Sparkline.text([nil, 5, 5], width: 2) == "▇▇")
        #expect(Sparkline.text([0, 0], width: 5) == "▁▁" && Sparkline.text([1], width: 0).isEmpty)
        #expect(Sparkline.text([nil, 1], width: 5).first == " ")
    }

    @Test("dots of a character are where its braille pattern has them")
    func braille() {
        var canvas = BrailleCanvas(columns: 2, rows: 1)
        #expect(canvas.character(column: 0, row: 0) == nil)
        canvas.dot(0, 0)
        #expect(canvas.character(column: 0, row: 0) == "⠁")
        for y in 0..<4 { for x in 0..<2 { canvas.dot(x, y) } }
        #expect(canvas.character(column: 0, row: 0) == "⣿")
        for (x, y) in [(-1, 0), (4, 0), (0, -1), (0, 4)] { canvas.dot(x, y) }
        #expect(canvas.character(column: 1, row: 0) == nil)
        canvas.line(from: (2, 3), to: (3, 3))
        #expect(canvas.character(column: 1, row: 0) == "⣀")
    }
}
