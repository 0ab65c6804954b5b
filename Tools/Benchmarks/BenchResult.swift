import SightlineCLI

/// Result of one measurement, with medians over its repetitions.
struct BenchResult: Encodable, Equatable {
    var name: String
    /// Updates (or rows) per second.
    var ratePerSecond: Double?
    /// Rate divided by that of the limit (``ceiling``) in the same repetition.
    var ratio: Double?
    /// Name of the limit that ``ratio`` refers to.
    var ceiling: String?
    /// Processor time of all threads, in µs.
    var cpuUsPerUpdate: Double?
    var allocationsPerUpdate: Double?
    /// Lowest and highest rate of the repetitions.
    var rateSpread: [Double]?
    var ratioSpread: [Double]?
    var repetitions: Int?
    /// Name of the mock broker; `nil` for a real broker.
    var broker: String?
    /// Other figures; names include the unit.
    var values: [String: Double] = [:]
    /// Description of the target, and whether the target was reached; both are `nil` without a target.
    var target: String?
    var isReached: Bool?
    /// Error of the part, `nil` if it succeeded.
    ///
    /// Figures beside an error are those of the repetitions without one.
    var error: String?

    init(_ name: String) { self.name = name }

    private enum Key: CodingKey {
        case name, broker, ratePerSecond, ratio, ceiling, cpuUsPerUpdate, allocationsPerUpdate, rateSpread, ratioSpread
        case repetitions, values, target, isReached, error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(broker, forKey: .broker)
        try container.encodeIfPresent(ratePerSecond?.rounded(), forKey: .ratePerSecond)
        try container.encodeIfPresent(ratio.map(Self.short), forKey: .ratio)
        try container.encodeIfPresent(ceiling, forKey: .ceiling)
        try container.encodeIfPresent(cpuUsPerUpdate.map(Self.short), forKey: .cpuUsPerUpdate)
        try container.encodeIfPresent(allocationsPerUpdate.map(Self.short), forKey: .allocationsPerUpdate)
        try container.encodeIfPresent(rateSpread?.map { $0.rounded() }, forKey: .rateSpread)
        try container.encodeIfPresent(ratioSpread?.map(Self.short), forKey: .ratioSpread)
        try container.encodeIfPresent(repetitions, forKey: .repetitions)
        if !values.isEmpty { try container.encode(values.mapValues(Self.short), forKey: .values) }
        try container.encodeIfPresent(target, forKey: .target)
        try container.encodeIfPresent(isReached, forKey: .isReached)
        try container.encodeIfPresent(error, forKey: .error)
    }

    private static func short(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

extension [Double] {
    /// The middle value, or the mean of the two middle values; `nil` if the array is empty.
    var median: Double? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2
    }

    var spread: [Double]? {
        guard let low = self.min(), let high = self.max() else { return nil }
        return [low, high]
    }
}

/// Measurements of one worker or limit over the repetitions.
struct BenchRuns {
    private var rates: [Double] = []
    private var cpu: [Double] = []
    private var ratios: [Double] = []

    var isEmpty: Bool { rates.isEmpty }

    /// Adds a repetition; `ceiling` is the rate of the limit in the same repetition, `nil` if that failed.
    mutating func add(_ ratePerSecond: Double, cpuMicroseconds: Double, ceiling: Double? = nil) {
        rates.append(ratePerSecond)
        cpu.append(cpuMicroseconds)
        if let ceiling { ratios.append(ratePerSecond / ceiling) }
    }

    mutating func add(_ throughput: Throughput, ceiling: Double? = nil) {
        add(throughput.ratePerSecond, cpuMicroseconds: throughput.cpuMicrosecondsPerRecord, ceiling: ceiling)
    }

    /// Returns the medians and spreads; `ceiling` is the name of the limit.
    func result(_ name: String, ceiling: String? = nil) -> BenchResult {
        var result = BenchResult(name)
        result.ratePerSecond = rates.median
        result.rateSpread = rates.spread
        result.ratio = ratios.median
        result.ratioSpread = ratios.spread
        result.ceiling = ceiling
        result.cpuUsPerUpdate = cpu.median
        result.repetitions = rates.count
        return result
    }
}

/// The results as a text table.
enum BenchTable {
    static func text(of results: [BenchResult]) -> String {
        var table = TextTable(
            title: "Medians", columns: ["name", "per second", "ratio", "CPU µs", "allocations", "other", "target"])
        for result in results {
            let values = result.values.sorted { $0.key < $1.key }.map { "\($0.key) \(number($0.value))" }
            let target = result.target.map { "\(result.isReached == true ? "reached" : "MISSED"): \($0)" }
            table.add([
                result.name, result.ratePerSecond.map(number) ?? "", result.ratio.map { rounded($0, 100) } ?? "",
                result.cpuUsPerUpdate.map { rounded($0, 100) } ?? "",
                result.allocationsPerUpdate.map { rounded($0, 1000) } ?? "", values.joined(separator: ", "),
                result.error.map { "FAILED: \($0)" } ?? target ?? "",
            ])
        }
        return table.text
    }

    private static func number(_ value: Double) -> String { value >= 100 ? "\(Int(value))" : rounded(value, 100) }

    private static func rounded(_ value: Double, _ parts: Double) -> String { "\((value * parts).rounded() / parts)" }
}
