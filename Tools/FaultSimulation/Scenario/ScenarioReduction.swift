/// Reduction of a failing scenario to a smaller one that still fails.
struct ScenarioReduction {
    private var scenario: Scenario
    private var runs = 0
    /// Maximum number of simulations.
    private static let limit = 120

    init(_ scenario: Scenario) { self.scenario = scenario }

    /// Returns the smallest failing scenario that was found, and its violations.
    mutating func reduce() -> (scenario: Scenario, result: SeedRun.Result)? {
        guard var result = failure(of: scenario) else { return nil }
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for candidate in candidates() {
                guard runs < Self.limit else { return (scenario, result) }
                guard let smaller = failure(of: candidate) else { continue }
                (scenario, result, isSmaller) = (candidate, smaller, true)
                break
            }
        }
        return (scenario, result)
    }

    /// Reduces the scenario and describes the result.
    func run() -> String {
        var reduction = self
        guard let (scenario, result) = reduction.reduce() else { return "The scenario does not fail." }
        return "\(scenario)\n\(result.description)"
    }

    private mutating func failure(of scenario: Scenario) -> SeedRun.Result? {
        runs += 1
        let result = SeedRun(scenario: scenario, isTraced: false).run()
        return result.violations.isEmpty ? nil : result
    }

    /// Smaller scenarios, the most different ones first.
    private func candidates() -> [Scenario] {
        var result: [Scenario] = []
        func add(_ change: (inout Scenario) -> Void) {
            var smaller = scenario
            change(&smaller)
            result.append(smaller)
        }
        for index in scenario.faults.indices { add { $0.faults.remove(at: index) } }
        if scenario.drivers > 1 {
            add { $0.drivers = 1 }
            add { $0.drivers -= 1 }
        }
        if scenario.partitions > 1 { add { $0.partitions = 1 } }
        for kind in WorkerKind.allCases where scenario.workers[kind] ?? 0 > 1 { add { $0.workers[kind] = 1 } }
        let last = scenario.faults.map(\.time).max() ?? 0
        if scenario.duration > last + .seconds(6) { add { $0.duration = last + .seconds(5) } }
        return result
    }
}
