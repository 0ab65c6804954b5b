import Testing

@testable import Domain

@Suite struct TripStateTests {
    /// The allowed next states of each state.
    private static let table: [TripState: Set<TripState>] = [
        .requested: [.accepted, .cancelled], .accepted: [.arrived, .cancelled], .arrived: [.inProgress, .cancelled],
        .inProgress: [.completed, .cancelled], .completed: [], .cancelled: [],
    ]

    @Test("a transition is allowed exactly if the table contains it", arguments: TripState.allCases)
    func everyPair(from state: TripState) throws {
        let allowed = try #require(Self.table[state])
        #expect(Set(state.allowedTransitions) == allowed)
        for next in TripState.allCases {
            #expect(state.canMove(to: next) == allowed.contains(next), "\(state) to \(next)")
            let rejection = TripRejection.evaluate(from: state, version: 1, to: next, version: 2)
            if next == state, !state.hasEnded {
                #expect(rejection == nil, "a newer version in the state \(state) is an update")
            } else {
                let reason: TripRejection = state == .cancelled ? .tripAlreadyCancelled : .invalidTransition
                #expect(rejection == (allowed.contains(next) ? nil : reason), "\(state) to \(next)")
            }
        }
    }

    @Test("riders see the driver from acceptance to the end")
    func visibility() {
        #expect(TripState.allCases.filter(\.showsDriver) == [.accepted, .arrived, .inProgress])
    }

    @Test("an older version is stale, and so is an equal version with another state")
    func versions() {
        #expect(TripRejection.evaluate(from: .accepted, version: 5, to: .arrived, version: 4) == .staleVersion)
        #expect(TripRejection.evaluate(from: .accepted, version: 5, to: .arrived, version: 5) == .staleVersion)
        #expect(TripRejection.evaluate(from: .accepted, version: 5, to: .arrived, version: 6) == nil)
        #expect(TripRejection.evaluate(from: .accepted, version: nil, to: .arrived, version: 1) == nil)
        #expect(TripRejection.evaluate(from: .accepted, version: 5, to: .arrived, version: nil) == nil)
        #expect(TripRejection.evaluate(from: .cancelled, version: 5, to: .accepted, version: 4) == .staleVersion)
        #expect(
            TripRejection.evaluate(from: .cancelled, version: 5, to: .completed, version: 6) == .tripAlreadyCancelled)
    }

    @Test("rejections have stable wire codes")
    func codes() {
        #expect(
            TripRejection.allCases.map { "\($0.code)" } == [
                "INVALID_TRANSITION", "STALE_VERSION", "TRIP_ALREADY_CANCELLED", "TRIP_NOT_FOUND",
            ])
    }
}
