import Testing

@testable import Domain
@testable import Gateways

@Suite("Warnings for drivers")
struct DriverWarningTests {
    private static func warning(
        _ reason: Reasons, _ action: LocationWarning.Action, _ offset: Int64 = 1
    ) -> DriverWarning? {
        DriverWarning(reason, action, event: EventID(partition: 3, offset: offset))
    }

    private static func required(_ reasons: Reasons, _ action: LocationWarning.Action, _ offset: Int64) throws
        -> DriverWarning
    {
        try #require(warning(reasons, action, offset))
    }

    @Test(
        "apart from accuracy anomalies, drivers receive six kinds of warnings, never with the action REVIEW",
        arguments: Reasons.all.map(\.value))
    func codes(reason: Reasons) {
        let forDrivers: Set<Reasons> = [
            .nullIsland, .clockSkew, .rateLimited, .lowAccuracy, .mockLocation, .deviceIntegrity,
        ]
        for action in LocationWarning.Action.allCases where reason != .accuracyAnomaly {
            let warning = Self.warning(reason, action)
            #expect((warning != nil) == (forDrivers.contains(reason) && action != .review), "\(reason) \(action)")
            let code = Reasons.all.first { $0.value == reason }.map { "\($0.code)" }
            if let warning { #expect(warning.payload.finished.contains(#""warning_code":"\#(code ?? "")","#)) }
        }
    }

    @Test(
        "drivers receive accuracy anomalies only with the action NONE (an accuracy of 0) or RESOLVED",
        arguments: LocationWarning.Action.allCases)
    func accuracies(action: LocationWarning.Action) {
        #expect((Self.warning(.accuracyAnomaly, action) != nil) == (action == .none || action == .resolved))
    }

    @Test("the texts contain no digit except 0, and texts of ended warnings start with Resolved")
    func messages() {
        for (_, reason) in Reasons.all {
            guard let open = Self.warning(reason, .none), let resolved = Self.warning(reason, .resolved) else {
                continue
            }
            #expect(open.message.filter(\.isNumber).allSatisfy { $0 == "0" }, "\(open.message)")
            #expect(resolved.message == "Resolved: \(open.message)")
        }
    }

    @Test("a warning is sent when it starts, when its action changes, and when it ends")
    func sent() throws {
        var filter = SentWarningFilter()
        let steps: [(LocationWarning.Action, Bool)] = [
            (.none, true), (.none, false), (.reject, true), (.resolved, true), (.resolved, false), (.reject, true),
        ]
        for (number, step) in steps.enumerated() {
            let shouldSend = filter.shouldSend(try Self.required(.deviceIntegrity, step.0, Int64(number)))
            #expect(shouldSend == step.1, "step \(number)")
        }
    }

    @Test("a warning is sent only if it is newer than the last warning, whatever its code", arguments: [9, 10, 11])
    func repetitions(offset: Int64) throws {
        var filter = SentWarningFilter()
        let sent = [
            filter.shouldSend(try Self.required(.mockLocation, .reject, 10)),
            filter.shouldSend(try Self.required(.clockSkew, .reject, offset)),
            filter.shouldSend(try Self.required(.mockLocation, .resolved, 12)),
        ]
        #expect(sent == [true, offset > 10, true])
    }

    @Test("the end of a warning is sent only if the warning was sent")
    func unsentWarnings() throws {
        var filter = SentWarningFilter()
        let sent = try [LocationWarning.Action.resolved, .none, .resolved].enumerated().map { number, action in
            filter.shouldSend(try Self.required(.accuracyAnomaly, action, Int64(number)))
        }
        #expect(sent == [false, true, true])
    }
}
