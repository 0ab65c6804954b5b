/// What one subject reached in the repetitions of a run.
struct BenchRuns {
    private var rates: [Double] = []
    private var cpu: [Double] = []
    private var ratios: [Double] = []

    /// Takes in one repetition; `ceiling` is the rate that bounds it.
    mutating func add(_ ratePerSecond: Double, cpuMicroseconds: Double, ceiling: Double? = nil) {
        rates.append(ratePerSecond)
        cpu.append(cpuMicroseconds)
        if let ceiling { ratios.append(ratePerSecond / ceiling) }
    }

    mutating func add(_ throughput: Throughput, ceiling: Double? = nil) {
        add(throughput.ratePerSecond, cpuMicroseconds: throughput.cpuMicrosecondsPerRecord, ceiling: ceiling)
    }

    /// The medians and how far the repetitions scatter; `ceiling` names what bounds them.
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
