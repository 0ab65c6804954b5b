import ArgumentParser

/// What can be measured by itself.
enum BenchName: String, CaseIterable, ExpressibleByArgument {
    case passthrough, location, eta, broadcast, history, position, latency, memory, restore, scale, core, peers, gateway

    /// All but those that need programs of others.
    static let usual = allCases.filter { ![.peers, .gateway].contains($0) }
}
