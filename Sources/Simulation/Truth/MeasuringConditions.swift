/// Combines the receiver and the surroundings of a fix.
package struct MeasuringConditions: Hashable, Sendable {
    package var receiver: ReceiverKind
    package var surroundings: Surroundings

    package init(receiver: ReceiverKind, surroundings: Surroundings) {
        self.receiver = receiver
        self.surroundings = surroundings
    }

    /// Every combination, in the order of reports.
    package static let all = ReceiverKind.allCases.flatMap { receiver in
        Surroundings.allCases.map { MeasuringConditions(receiver: receiver, surroundings: $0) }
    }
}
