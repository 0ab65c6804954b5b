import Foundation
import Testing

/// Switch for the tests that only `deploy/test nightly` runs.
package enum NightlyTests {
    /// Whether nightly tests run; `deploy/test nightly` sets the variable.
    package static let isEnabled = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_NIGHTLY"] == "1"
}

extension Trait where Self == ConditionTrait {
    /// Trait of a test that runs only in `deploy/test nightly`.
    ///
    /// For tests that run for minutes (benchmarks, many clients, whole rides, long faults, external conformance
    /// suites) or that expect a rate that a busy machine does not reach.
    package static var nightly: Self {
        .enabled(if: NightlyTests.isEnabled, "runs only in deploy/test nightly")
    }
}
