import ArgumentParser
import Foundation
import Processing
import Runtime

/// The option to wait for a service that is still starting.
struct WaitOptions: ParsableArguments {
    @Option(
        name: .customLong("wait"),
        help: ArgumentHelp("Wait up to this long for the service; 0 tries once.", valueName: "seconds"))
    var seconds = 0.0

    func validate() throws {
        guard (0...86_400).contains(seconds) else { throw ValidationError("--wait must be 0 to 86400 seconds.") }
    }

    /// Calls `body` until it succeeds, and prints each new reason for waiting to standard error.
    /// - Throws: the last error, if it is not transient or the time has passed.
    func retry<Result>(
        while isTransient: (any Error) -> Bool = Self.isRetriable, _ body: () throws -> Result
    ) throws -> Result {
        let began = ContinuousClock.now
        var reason: String?
        while true {
            do {
                return try body()
            } catch  where isTransient(error) && began.duration(to: .now) / .seconds(1) < seconds {
                if reason != "\(error)" { StandardError.write("\(error) Retrying for up to \(Int(seconds)) s.\n") }
                reason = "\(error)"
                Thread.sleep(forTimeInterval: 0.5)
            }
        }
    }

    static func isRetriable(_ error: any Error) -> Bool {
        (error as? any ClassifiedError)?.isRetriable == true
    }
}
