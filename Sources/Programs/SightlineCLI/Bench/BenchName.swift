import ArgumentParser

/// What can be measured by itself.
enum BenchName: String, CaseIterable, ExpressibleByArgument {
    case passthrough, location, eta, broadcast, history, position, latency, memory, restore, scale, core, peers

    /// All but the peers, which need programs of others.
    static let usual = allCases.filter { $0 != .peers }
}
