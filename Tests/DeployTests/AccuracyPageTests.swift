import Foundation
import TestSupport
import Testing

@Suite("The accuracy page and deploy/accuracy", .blocking)
struct AccuracyPageTests {
    private static let page = "docs/accuracy.md"
    private static let folder = "docs/accuracy"

    @Test("without recordings, deploy/accuracy prints the folder and how to choose another folder")
    func noRecordings() throws {
        let script = Checkout.root.appendingPathComponent("deploy/accuracy")
        let result = try Checkout.run(script, ["deploy"])
        #expect(result.code == 2)
        #expect(result.output.contains("there are no recordings in deploy"))
        #expect(result.output.contains("deploy/accuracy DATA-FOLDER, or set SIGHTLINE_DATA"))
    }

    @Test("an unknown option is a usage error, and --help prints the usage with the argument")
    func options() throws {
        let script = Checkout.root.appendingPathComponent("deploy/accuracy")
        #expect(try Checkout.run(script, ["--data"]).code == 2)
        let help = try Checkout.run(script, ["--help"])
        #expect(help.code == 0)
        #expect(help.output.contains("deploy/accuracy [DATA-FOLDER]"))
    }

    @Test("the page links exactly the files of docs/accuracy")
    func links() throws {
        let links = try Checkout.text(Self.page).matches(of: /\]\(accuracy\/([^)]+)\)/).map { String($0.1) }
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Checkout.root.appendingPathComponent(Self.folder).path)
        #expect(Set(links) == Set(files))
    }

    @Test("the results on the page contain the figures of the reports")
    func results() throws {
        let page = try Checkout.text(Self.page)
        for (row, figures) in try Self.figures() {
            let line = page.split(separator: "\n").first { $0.hasPrefix("| \(row) |") } ?? ""
            // Row number, measured quantity, target, result.
            let cells = line.split(separator: "|")
            let result = try #require(cells.count > 3 ? cells[3] : nil, "row \(row)")
            for figure in figures { #expect(result.contains(figure), "row \(row): \(figure)") }
        }
    }

    private struct Smoothing: Decodable {
        struct Recording: Decodable {
            var name: String
            var ratio, roadRatio, knownRouteRatio: Double?
        }
        struct Honesty: Decodable { var share, low, high: Double }
        var recordings: [Recording]
        var honesty: Honesty
    }

    private struct Spoofing: Decodable {
        struct Honest: Decodable { var rejectedShare: Double }
        struct Kind: Decodable {
            var kind: String
            var detectionRate: Double
        }
        struct Area: Decodable { var area: Double }
        struct Pooled: Decodable { var withSpeedAndHeading, withoutEither: Area? }
        var honestTotal: Honest?
        var kinds: [Kind]
        var pooled: Pooled
    }

    private struct Arrival: Decodable {
        struct Method: Decodable { var benchmark: Double? }
        struct Interval: Decodable { var coverage: Double? }
        struct Bucket: Decodable { var interval: Interval }
        struct Recording: Decodable {
            var arrivals: Int
            var methods: [Method]
            var buckets: [Bucket]
        }
        var recordings: [Recording]
    }

    private static func report<Report: Decodable>(_ name: String, as type: Report.Type) throws -> Report {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(Checkout.text("\(folder)/\(name).json").utf8))
    }

    /// Returns the figures that the result of each row must contain.
    private static func figures() throws -> [(row: Int, figures: [String])] {
        let smoothing = try report("smoothing", as: Smoothing.self)
        let honest = try report("spoofing-honest", as: Spoofing.self)
        let attacks = try report("spoofing-attacks", as: Spoofing.self)
        let runs = try report("eta-runs", as: Arrival.self)
        func recording(_ name: String) throws -> Smoothing.Recording {
            try #require(smoothing.recordings.first { $0.name == name })
        }
        func detected(_ kinds: [String]) -> [String] {
            let rates = attacks.kinds.filter { kinds.contains($0.kind) }.map(\.detectionRate)
            return [percent(rates.min()), percent(rates.max())]
        }
        let canyon = try recording("urban_canyon_hongkong")
        let largest = try #require(runs.recordings.max { $0.arrivals < $1.arrivals })
        let coverages = largest.buckets.compactMap(\.interval.coverage)
        let honesty = smoothing.honesty
        return [
            (1, [number(canyon.ratio)]), (2, [number(canyon.knownRouteRatio)]),
            (
                3,
                [
                    number(try recording("gsdc_phones_2020-05-14").ratio),
                    number(try recording("comma2k19_highway").ratio),
                    number(try recording("fcd_oberfranken").roadRatio),
                ]
            ),
            (4, [honesty.share, honesty.low, honesty.high].map { String(format: "%.0f", 100 * $0) }),
            (5, [number(honest.honestTotal.map { 100 * $0.rejectedShare })]),
            (
                6,
                detected(["static_point", "route_simulator", "mock_flag", "impossible_speed", "hard_coded_speed"])
            ),
            (7, detected(["jittered_route", "parallel_offset", "pickup_only", "wrong_rhythm"])),
            (8, [attacks.pooled.withSpeedAndHeading, attacks.pooled.withoutEither].map { number($0?.area) }),
            (9, [percent(largest.methods.first?.benchmark)]),
            (10, [percent(coverages.min()), percent(coverages.max())]),
        ]
    }

    private static func number(_ value: Double?) -> String { value.map { String(format: "%.3f", $0) } ?? "no figure" }

    /// Returns a share in percent with at most one decimal.
    private static func percent(_ share: Double?) -> String {
        share.map { String(format: "%g", (1000 * $0).rounded() / 10) } ?? "no figure"
    }
}
