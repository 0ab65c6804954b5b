import Foundation

extension Thread {
    /// Runs `body` on a thread of its own.
    static func detach(_ body: @escaping @Sendable () -> Void) { Thread(block: body).start() }

    static func pause(seconds: Double) { sleep(forTimeInterval: seconds) }
}
