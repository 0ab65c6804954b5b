/// Something that a lane has learned as a whole, rather than by road cell.
enum LearnedValue: UInt8, CaseIterable {
    /// How far arrivals stray from what was expected.
    case calibration = 0

    /// Its key in the paces topic.
    var name: String {
        switch self {
        case .calibration: "calibration"
        }
    }

    init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}
