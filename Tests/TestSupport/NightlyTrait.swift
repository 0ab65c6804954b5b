import Foundation
import Testing

/// Which tests are left to `deploy/test nightly`.
package enum NightlyTests {
    /// Set by `deploy/test nightly`.
    package static let areRun = ProcessInfo.processInfo.environment["SIGHTLINE_TEST_NIGHTLY"] == "1"
}

extension Trait where Self == ConditionTrait {
    /// Leaves a test to `deploy/test nightly`: benchmarks, crowds, whole rides, long faults, testers of others.
    ///
    /// Such a test takes minutes, or expects a rate that a machine with other work does not reach.
    package static var nightly: Self {
        .enabled(if: NightlyTests.areRun, "runs in deploy/test nightly")
    }
}
