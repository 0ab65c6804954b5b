import Foundation

/// One line of the benchmark: medians over the repetitions of one run.
struct BenchResult: Encodable, Equatable {
    var name: String
    /// Updates (or rows) per second.
    var ratePerSecond: Double?
    /// Rate over that of the ceiling in the same repetition.
    var ratio: Double?
    /// What ``ratio`` compares with.
    var ceiling: String?
    /// Processor time of the whole process, all threads, in µs.
    var cpuUsPerUpdate: Double?
    var allocationsPerUpdate: Double?
    /// Lowest and highest rate of the repetitions.
    var rateSpread: [Double]?
    var ratioSpread: [Double]?
    var repetitions: Int?
    /// What stood in for a broker; `nil` where it was one.
    var broker: String?
    /// Whatever else the line measures, by name with unit.
    var values: [String: Double] = [:]
    /// The figure that targets ask for, and whether it was reached; `nil` where none is set.
    var target: String?
    var isReached: Bool?
    /// Why nothing could be measured.
    var error: String?

    init(_ name: String) { self.name = name }

    private enum Key: String, CodingKey {
        case name, broker, ratio, ceiling, repetitions, target, error
        case ratePerSecond = "rate_per_second"
        case cpuUsPerUpdate = "cpu_us_per_update"
        case allocationsPerUpdate = "allocations_per_update"
        case rateSpread = "rate_spread"
        case ratioSpread = "ratio_spread"
        case isReached = "is_reached"
        case values
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
    /// The middle one, or the mean of the two in the middle; `nil` of none.
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
