import TestSupport
import Testing

@testable import Runtime

@Suite("Unknown variables")
struct UnknownVariablesTests {
    @Test(
        "mistyped names are problems with a suggestion",
        arguments: [
            ("SIGHTLINE_TOPIC_PREFX", "SIGHTLINE_TOPIC_PREFIX"), ("SIGHTLINE_HTTP_PROT", "SIGHTLINE_HTTP_PORT"),
            ("HISTORY_RETENTION_DAY", "HISTORY_RETENTION_DAYS"), ("SIGHTLINE_BATCH_RECORD", "SIGHTLINE_BATCH_RECORDS"),
        ])
    func suggestions(key: String, meant: String) {
        #expect(
            UnknownVariables.problems(in: [key: "1"]).map(\.description)
                == ["\(key) is not a setting: did you mean \(meant)?"])
    }

    @Test("unknown names are problems without a suggestion")
    func noSuggestion() {
        #expect(
            UnknownVariables.problems(in: ["SIGHTLINE_COFFEE": "1"]).map(\.description)
                == ["SIGHTLINE_COFFEE is not a setting: unset it."])
    }

    @Test(
        "variables of scripts and platforms are ignored",
        arguments: [
            "SIGHTLINE_TEST_KAFKA", "SIGHTLINE_LOCAL_DIR", "SIGHTLINE_PREBUILT", "SIGHTLINE_STACK_DEADLINE_SECONDS",
            "SIGHTLINE_SERVICE_HOST",
            "SIGHTLINE_SERVICE_PORT", "SIGHTLINE_SERVICE_PORT_HTTP", "SIGHTLINE_PORT_8080_TCP",
            "SIGHTLINE_PORT_8080_TCP_ADDR", "HISTFILE", "PATH", "sightline_topic_prefix",
        ])
    func foreign(key: String) { #expect(UnknownVariables.problems(in: [key: "1"]).isEmpty) }

    @Test("variables of scripts, examples and the build are known")
    func scripts() throws {
        let otherFiles = ["Package.swift", "Examples/follow.py", "Examples/send.py"]
        let texts = try (Checkout.scripts() + otherFiles).map(Checkout.text)
        let variables = Set(
            texts.flatMap { $0.matches(of: /\b(?:SIGHTLINE|HISTORY)_[A-Z][A-Z0-9_]*\b/).map { String($0.0) } })
        let examples = ["SIGHTLINE_BUILD", "SIGHTLINE_TEST_KAFKA", "SIGHTLINE_HTTP_PORT", "SIGHTLINE_TOKEN"]
        #expect(variables.isSuperset(of: examples))
        let environment = Dictionary(uniqueKeysWithValues: variables.map { ($0, "1") })
        #expect(UnknownVariables.problems(in: environment).map(\.description) == [])
    }

    @Test("a variable `…_PORT` is a service link only with a URL, and `…_PORT_8080_…` only with a protocol")
    func serviceLinks() {
        #expect(UnknownVariables.isServiceLink("SIGHTLINE_PORT", "tcp://10.0.0.1:80"))
        #expect(!UnknownVariables.isServiceLink("SIGHTLINE_PORT", "80"))
        #expect(!UnknownVariables.isServiceLink("SIGHTLINE_PORT_8080_SCTP", "80"))
    }

    @Test(
        "the edit distance counts inserted, missing, changed and swapped letters",
        arguments: [
            ("", "", 0), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("abc", "xbcd", 2), ("", "ab", 2),
        ])
    func distance(left: String, right: String, expected: Int) {
        #expect(Suggestion.distance(left, right) == expected)
        #expect(Suggestion.distance(right, left) == expected)
    }
}
