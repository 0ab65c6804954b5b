import ArgumentParser
import Foundation
import Processing
import Runtime

/// How long a command waits for a service that does not answer yet, such as one that is started at the same time.
struct WaitOptions: ParsableArguments {
    @Option(
        name: .customLong("wait"),
        help: ArgumentHelp("Wait at most this long for the service to answer; 0 tries once.", valueName: "seconds"))
    var seconds = 0.0

    func validate() throws {
        guard (0...86_400).contains(seconds) else { throw ValidationError("--wait is 0 to 86400 seconds.") }
    }

    /// Calls `body` until it succeeds.
    ///
    /// Says on standard error what it waits for, once for each reason.
    /// - Parameters:
    ///   - mayPass: whether the same call may succeed later after this error.
    ///   - body: the call.
    /// - Returns: what `body` returns.
    /// - Throws: the error of the last attempt, when the time is up or waiting does not mend it.
    func retry<Result>(
        while mayPass: (any Error) -> Bool = Self.isRetriable, _ body: () throws -> Result
    ) throws -> Result {
        let began = ContinuousClock.now
        var reason: String?
        while true {
            do {
                return try body()
            } catch  where mayPass(error) && began.duration(to: .now) / .seconds(1) < seconds {
                if reason != "\(error)" { StandardError.write("\(error) Waiting up to \(Int(seconds)) s for it.\n") }
                reason = "\(error)"
                Thread.sleep(forTimeInterval: 0.5)
            }
        }
    }

    static func isRetriable(_ error: any Error) -> Bool {
        (error as? any ClassifiedError)?.isRetriable == true
    }
}
