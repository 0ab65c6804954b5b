@testable import Evaluation
@testable import Model

extension SimulatedReceiver {
    /// What a phone with correlated noise and an honest accuracy, speed and heading reports once a second.
    static func fixes(along drive: SimulatedDrive, sigmaMeters: Double, seed: UInt64) -> [Fix] {
        var receiver = SimulatedReceiver()
        receiver.sigmaMeters = sigmaMeters
        return receiver.trace(of: drive, seed: seed).fixes
    }
}
