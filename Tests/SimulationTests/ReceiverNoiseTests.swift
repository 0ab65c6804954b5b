import Foundation
import Testing

@testable import Domain
@testable import Simulation

/// Errors of simulated phones: a slow part with a time constant of one minute, and little white noise.
@Suite struct ReceiverNoiseTests {
    @Test("errors have the requested size, and a correlation of 0.97 after 1 s and 0.36 after 60 s")
    func slow() {
        let seed: UInt64 = 5
        var random = RandomSource(seed: seed)
        var noise = ReceiverNoise(whiteMeters: 0.2, random: &random)
        let errors = (0..<400_000).map { noise.next(at: Double($0), slowMeters: 2, random: &random).east }
        let variance = covariance(errors, lag: 0)
        #expect(abs(variance - 4.04) < 0.3, "seed \(seed)")
        #expect(abs(covariance(errors, lag: 1) / variance - 0.974) < 0.01, "seed \(seed)")
        #expect(abs(covariance(errors, lag: 60) / variance - 0.364) < 0.06, "seed \(seed)")
    }

    @Test("white noise is 0.03 to 0.36 m, with a median of 0.06 to 0.2 m")
    func white() {
        let seed: UInt64 = 6
        var random = RandomSource(seed: seed)
        let white = (0..<400).map { _ in ReceiverNoise(random: &random).whiteMeters }.sorted()
        #expect(white.allSatisfy(ReceiverNoise.whiteMeters.contains), "seed \(seed)")
        #expect((0.06...0.2).contains(white[200]) && white[0] < 0.04 && white[399] > 0.33, "seed \(seed)")
    }

    @Test("without canyons, tunnels and outliers, errors are as smooth as the errors of recorded phones")
    func fleet() {
        let seed: UInt64 = 7
        var configuration = PositioningNoiseConfiguration()
        configuration.heavyTailShare = 0
        configuration.canyonFactor = 0
        for phone in UInt64(0)..<40 {
            var random = RandomSource(seed: seed, index: phone, purpose: 1)
            var noise = PositioningNoise(configuration: configuration, random: &random)
            let errors = (0..<2000).map { second in
                noise.sample(
                    at: TangentPlane.Point(east: 0, north: 0),
                    time: Fleet.start.advanced(bySeconds: Double(second)), secondsWithoutReception: 0, random: &random
                ).eastMeters
            }
            // Recorded phones have 0.03 to 0.44 m, to which the motion of the vehicle contributes.
            #expect((0.03...0.6).contains(roughness(errors)), "seed \(seed), phone \(phone)")
        }
    }

    private func covariance(_ errors: [Double], lag: Int) -> Double {
        zip(errors, errors.dropFirst(lag)).map { $0 * $1 }.reduce(0, +) / Double(errors.count - lag)
    }

    /// Returns the standard deviation, in metres, of white noise whose fourth differences have the same median size.
    private func roughness(_ errors: [Double]) -> Double {
        var differences = errors
        for _ in 0..<4 { differences = zip(differences.dropFirst(), differences).map { $0 - $1 } }
        let sizes = differences.map(abs).sorted()
        return 1.4826 * sizes[sizes.count / 2] / 70.squareRoot()
    }
}
