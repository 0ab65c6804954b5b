import ArgumentParser

/// What can be measured by itself.
enum BenchName: String, CaseIterable, ExpressibleByArgument {
    case passthrough, location, eta, broadcast, history, position, latency, memory, restore, scale, core
}
