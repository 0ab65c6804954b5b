/// The programs that read settings, by their product names.
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
    package static var stages: Set<Program> { [.locationWorker, .etaWorker, .broadcastWorker] }
    package static var sinks: Set<Program> { [.positionWorker, .historyWorker, .pushWorker] }
    /// What processes records as members of a consumer group.
    package static var workers: Set<Program> { stages.union(sinks) }
    /// What clients outside connect to.
    package static var gateways: Set<Program> { [.riderGateway, .driverGateway] }
    /// What runs until it is told to stop, with an endpoint for health and metrics.
    package static var services: Set<Program> { workers.union(gateways) }
}
