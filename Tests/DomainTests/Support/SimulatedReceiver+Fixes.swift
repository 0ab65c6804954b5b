@testable import Domain
@testable import Evaluation

extension SimulatedReceiver {
    /// Returns fixes of a phone with correlated noise and true accuracy, speed and heading, one per second.
    static func fixes(along drive: SimulatedDrive, sigmaMeters: Double, seed: UInt64) -> [Fix] {
        var receiver = SimulatedReceiver()
        receiver.sigmaMeters = sigmaMeters
        return receiver.trace(of: drive, seed: seed).fixes
    }
}
