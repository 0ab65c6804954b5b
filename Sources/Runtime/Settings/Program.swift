/// Programs that read settings; the raw values are product names.
package enum Program: String, CaseIterable, Sendable {
    case locationWorker = "location-worker"
    case etaWorker = "eta-worker"
    case positionWorker = "position-worker"
    case historyWorker = "history-worker"
    case broadcastWorker = "broadcast-worker"
    case pushWorker = "push-worker"
    case riderGateway = "rider-gateway"
    case driverGateway = "driver-gateway"
    case commandLine = "sightline"
}

extension Set where Element == Program {
    package static var everything: Set<Program> { Set(Program.allCases) }
    package static var processors: Set<Program> { [.locationWorker, .etaWorker, .broadcastWorker] }
    package static var sinks: Set<Program> { [.positionWorker, .historyWorker, .pushWorker] }
    /// Members of consumer groups.
    package static var workers: Set<Program> { processors.union(sinks) }
    /// Servers for external clients.
    package static var gateways: Set<Program> { [.riderGateway, .driverGateway] }
    /// Long-running programs with a health and metrics endpoint.
    package static var services: Set<Program> { workers.union(gateways) }
}
