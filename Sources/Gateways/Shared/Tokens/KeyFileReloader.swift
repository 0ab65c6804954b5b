import Logging
import Runtime

/// Reloader of the key file after changes, so that keys rotate without a restart.
struct KeyFileReloader {
    private static let interval = Duration.seconds(5)
    /// Interval at which a shutdown is detected.
    private static let stopInterval = Duration.milliseconds(200)

    let verifier: TokenVerifier
    let control: WorkerControl
    let logger: Logger

    /// Checks the file every five seconds until shutdown.
    func run() async {
        log(verifier.ignoredKeys)
        var checkedAt = ContinuousClock.now
        while control.isRunning, !Task.isCancelled {
            try? await Task.sleep(for: Self.stopInterval)
            guard checkedAt.duration(to: .now) >= Self.interval else { continue }
            checkedAt = .now
            check()
        }
    }

    private func log(_ ignoredKeys: [String]) {
        for key in ignoredKeys {
            logger.warning("A token key is ignored.", metadata: .of([.reason: "\(key)"]))
        }
    }

    private func check() {
        switch verifier.reloadIfChanged() {
        case .unchanged: break
        case .reloaded(let count, let ignoredKeys):
            logger.notice("Reloaded the token key file.", metadata: .of([.count: "\(count)"]))
            log(ignoredKeys)
        case .failed(let problem):
            logger.warning(
                "Invalid token key file; keeping the previous keys.",
                metadata: .of([.reason: "\(problem)"]))
        }
    }
}
