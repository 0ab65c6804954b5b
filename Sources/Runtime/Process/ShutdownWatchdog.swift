import Dispatch
import Foundation
import Synchronization

/// The impatient way out: a second SIGTERM or SIGINT ends the process at once, and so does a stop that takes too long,
/// or an end after an error.
///
/// Nothing is lost by it: the worker that takes the partitions resumes after the records that were acknowledged.
enum ShutdownWatchdog {
    private static let signals = Mutex(0)
    /// Sources live as long as the process.
    private static let sources = Mutex<[any DispatchSourceSignal]>([])

    /// How long a worker that cannot go on may take to let go of its clients: what they hold is given up anyway.
    static let failureDeadline = Duration.seconds(5)

    /// Ends the process with exit code `code` after `deadline`, whatever its threads do, unless it has ended by then.
    static func end(after deadline: Duration, code: Int32) {
        let seconds = deadline / .seconds(1)
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
            let line = "The worker's clients do not end within \(seconds) s; the process ends without them.\n"
            FileHandle.standardError.write(Data(line.utf8))
            _exit(code)
        }
    }

    /// - Parameter deadline: how long after the first signal the process ends in any case.
    static func onSecondSignal(after deadline: Duration) {
        for number in [SIGTERM, SIGINT] {
            sources.withLock { sources in
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { count(number, deadline) }
                source.resume()
                sources.append(source)
            }
        }
    }

    private static func count(_ number: Int32, _ deadline: Duration) {
        let seen = signals.withLock { count in
            count += 1
            return count
        }
        if seen > 1 { _exit(128 + number) }
        let seconds = Double(deadline.components.seconds) + 1
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { _exit(128 + number) }
    }
}
