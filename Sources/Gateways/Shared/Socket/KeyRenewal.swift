import Logging
import Runtime
import Support

/// Takes over a key file that has changed, so that keys rotate without a restart.
struct KeyRenewal {
    private static let interval = Duration.seconds(5)
    /// How soon a stop is noticed.
    private static let stopInterval = Duration.milliseconds(200)

    private let verifier: TokenVerifier
    private let control: WorkerControl
    private let logger: Logger

    init(_ verifier: TokenVerifier, control: WorkerControl, logger: Logger) {
        self.verifier = verifier
        self.control = control
        self.logger = logger
    }

    /// Looks at the file every five seconds until told to stop.
    func run() async {
        for note in verifier.keyNotes {
            logger.warning("A key for tokens is not used.", metadata: .of([.reason: "\(note)"]))
        }
        var lookedAt = ContinuousClock.now
        while control.isRunning, !Task.isCancelled {
            try? await Task.sleep(for: Self.stopInterval)
            guard lookedAt.duration(to: .now) >= Self.interval else { continue }
            lookedAt = .now
            await look()
        }
    }

    private func look() async {
        switch await verifier.reloadIfChanged(now: Timestamp(milliseconds: WallClock.milliseconds())) {
        case .unchanged: break
        case .reloaded(let count, let notes):
            logger.notice("The key file for tokens was read again.", metadata: .of([.count: "\(count)"]))
            for note in notes {
                logger.warning("A key for tokens is not used.", metadata: .of([.reason: "\(note)"]))
            }
        case .kept(let problem):
            logger.warning(
                "The key file for tokens has changed and cannot be used; the keys of before stay.",
                metadata: .of([.reason: "\(problem)"]))
        }
    }
}
