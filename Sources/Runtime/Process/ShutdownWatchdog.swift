import Dispatch
import Foundation
import Synchronization

/// Forced exit on a second SIGTERM or SIGINT, or when a shutdown exceeds its deadline.
///
/// No data is lost, because the next owner of the partitions resumes after the acknowledged records.
enum ShutdownWatchdog {
    private static let signalCount = Mutex(0)
    /// Signal sources, retained for the life of the process.
    private static let sources = Mutex<[any DispatchSourceSignal]>([])

    /// Time that a failed worker has to close its clients; their unsent data is discarded anyway.
    static let failureDeadline = Duration.seconds(5)

    /// Exits with `code` after `deadline`, even if other threads are blocked.
    static func end(after deadline: Duration, code: Int32) {
        let seconds = deadline / .seconds(1)
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
            let line = "Clients did not close within \(seconds) s; exiting.\n"
            FileHandle.standardError.write(Data(line.utf8))
            _exit(code)
        }
    }

    /// Exits on the second signal, or `deadline` plus one second after the first.
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
        let total = signalCount.withLock { count in
            count += 1
            return count
        }
        if total > 1 { _exit(128 + number) }
        let seconds = Double(deadline.components.seconds) + 1
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { _exit(128 + number) }
    }
}
