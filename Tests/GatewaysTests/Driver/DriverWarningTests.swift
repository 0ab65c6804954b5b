import Testing

@testable import Gateways
@testable import Model

@Suite("Warnings for drivers")
struct DriverWarningTests {
    private static func warning(
        _ reason: Reasons, _ action: LocationWarning.Action, _ offset: Int64 = 1
    ) -> DriverWarning? {
        DriverWarning(reason, action, event: EventID(partition: 3, offset: offset))
    }

    private static func told(_ reasons: Reasons, _ action: LocationWarning.Action, _ offset: Int64) throws
        -> DriverWarning
    {
        try #require(warning(reasons, action, offset))
    }

    @Test(
        "a driver is told what the device says of itself, by the code of the topic",
        arguments: Reasons.all.map(\.value))
    func codes(reason: Reasons) {
        let isTold: Set<Reasons> = [
            .nullIsland, .clockSkew, .rateLimited, .lowAccuracy, .mockLocation, .deviceIntegrity,
        ]
        for action in LocationWarning.Action.allCases where reason != .accuracyAnomaly {
            let warning = Self.warning(reason, action)
            #expect((warning != nil) == (isTold.contains(reason) && action != .review), "\(reason) \(action)")
            let code = Reasons.all.first { $0.value == reason }.map { "\($0.code)" }
            if let warning { #expect(warning.code.rawValue == code && warning.action == action) }
        }
    }

    @Test(
        "of unusual accuracies a driver is told an accuracy of 0 alone, not what shows in how they change",
        arguments: LocationWarning.Action.allCases)
    func accuracies(action: LocationWarning.Action) {
        #expect((Self.warning(.accuracyAnomaly, action) != nil) == (action == .none || action == .resolved))
    }

    @Test("no message has a measured number, and that of an end says so")
    func messages() {
        for (_, reason) in Reasons.all {
            guard let begun = Self.warning(reason, .none), let over = Self.warning(reason, .resolved) else { continue }
            #expect(begun.message.filter(\.isNumber).allSatisfy { $0 == "0" }, "\(begun.message)")
            #expect(over.message == "Resolved: \(begun.message)")
        }
    }

    @Test("a device is told of a warning when it begins, when its action changes, and when it is over")
    func news() throws {
        var told = SentWarningFilter()
        let steps: [(LocationWarning.Action, Bool)] = [
            (.none, true), (.none, false), (.reject, true), (.resolved, true), (.resolved, false), (.reject, true),
        ]
        for (number, step) in steps.enumerated() {
            let isNews = told.isNews(try Self.told(.deviceIntegrity, step.0, Int64(number)))
            #expect(isNews == step.1, "step \(number)")
        }
    }

    @Test("a record that is repeated is not told again, and codes do not disturb each other", arguments: [9, 10, 11])
    func repetitions(offset: Int64) throws {
        var told = SentWarningFilter()
        let news = [
            told.isNews(try Self.told(.mockLocation, .reject, 10)),
            told.isNews(try Self.told(.clockSkew, .reject, offset)),
            told.isNews(try Self.told(.mockLocation, .resolved, 12)),
        ]
        #expect(news == [true, offset > 10, true])
    }

    @Test("the end of what a device was not told is not told")
    func untoldEnds() throws {
        var told = SentWarningFilter()
        let news = try [LocationWarning.Action.resolved, .none, .resolved].enumerated().map { number, action in
            told.isNews(try Self.told(.accuracyAnomaly, action, Int64(number)))
        }
        #expect(news == [false, true, true])
    }
}
