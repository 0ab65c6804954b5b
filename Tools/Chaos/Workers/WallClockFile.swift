import Foundation

/// Moves the wall clock of workers that were started with its environment.
final class WallClockFile {
    private let descriptor: Int32
    /// What a worker has to be started with.
    let environment: [String: String]

    init(path: String) throws {
        let library = try ChaosPrograms.executable("libchaos-clock.so").path
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        guard descriptor >= 0 else { throw ChaosError("\(path) cannot be written.") }
        environment = ["LD_PRELOAD": library, "CHAOS_CLOCK_FILE": path]
        set(seconds: 0)
    }

    deinit { close(descriptor) }

    /// The wall clock shows so much more than the machine's from now on.
    func set(seconds: Int64) {
        withUnsafeBytes(of: seconds) { bytes in _ = pwrite(descriptor, bytes.baseAddress, bytes.count, 0) }
    }
}
