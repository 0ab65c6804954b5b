/// The five kinds of workers.
enum WorkerKind: String, CaseIterable, Sendable {
    case location, eta, broadcast, position, history

    var program: String { "\(rawValue)-worker" }

    /// Input topics whose partitions count one by one in `sightline_partitions_assigned`.
    var countedTopics: Int {
        switch self {
        case .location, .eta, .broadcast: 1
        case .position: 2
        case .history: 4
        }
    }

    var isSink: Bool { self == .position || self == .history }
}
