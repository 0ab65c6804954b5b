/// The programs that read settings, by their product names.
package enum Program: String, CaseIterable, Sendable {
    case locationWorker = "location-worker"
    case etaWorker = "eta-worker"
    case positionWorker = "position-worker"
    case historyWorker = "history-worker"
    case broadcastWorker = "broadcast-worker"
    case commandLine = "sightline"
}

extension Set where Element == Program {
    package static var everything: Set<Program> { Set(Program.allCases) }
    package static var workers: Set<Program> { everything.subtracting([.commandLine]) }
    package static var stages: Set<Program> { [.locationWorker, .etaWorker, .broadcastWorker] }
    package static var sinks: Set<Program> { [.positionWorker, .historyWorker] }
}
