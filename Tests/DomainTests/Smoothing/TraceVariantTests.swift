import Testing

@testable import Domain
@testable import Evaluation

/// Smoothing does not harm traces of devices with fewer or worse fields.
@Suite struct TraceVariantTests {
    /// Seeds that the fitting, with seeds 1 to 8, does not use.
    private static let seeds: ClosedRange<UInt64> = 21...23

    private static func score(_ variant: TraceVariant, _ style: SimulatedDrive.Style, sigma: Double) -> SmoothingScore {
        var receiver = SimulatedReceiver()
        receiver.sigmaMeters = sigma
        var score = SmoothingScore()
        for seed in seeds {
            let trace = receiver.trace(of: SimulatedDrive(seed: seed, seconds: 900, style: style), seed: seed)
            score.merge(SmoothingScore(variant.applied(to: trace)))
        }
        return score
    }

    @Test(
        "with missing, rounded or repeated fields, the error grows by at most 2 %", arguments: TraceVariant.all)
    func harmless(variant: TraceVariant) throws {
        for (style, sigma) in [(SimulatedDrive.Style.town, 3.0), (.town, 10), (.turns, 5)] {
            let ratio = try #require(Self.score(variant, style, sigma: sigma).ratio)
            #expect(ratio <= 1.02, "\(variant.name), \(style), sigma \(sigma) m, seeds \(Self.seeds)")
        }
    }

    @Test("with positions only and correlated noise, 60 to 78 % of the errors are within the accuracy")
    func honesty() throws {
        for (style, sigma) in [(SimulatedDrive.Style.town, 3.0), (.town, 10), (.turns, 5)] {
            let honesty = Self.score(.positionsOnly, style, sigma: sigma).smoothed.honesty
            #expect((0.60...0.78).contains(try #require(honesty.shareWithin)), "\(style), sigma \(sigma) m")
            #expect(try #require(honesty.shareWithinTwice) >= 0.90, "\(style), sigma \(sigma) m")
        }
    }

    @Test("each variant applies its change, and all except thinning keep the true positions")
    func variants() {
        let trace = SimulatedReceiver().trace(of: SimulatedDrive(seed: 1, seconds: 60), seed: 1)
        for variant in TraceVariant.all {
            let changed = variant.applied(to: trace)
            #expect(changed.fixes.count == changed.truth.count && changed.fixes.count == changed.isSpoofed.count)
            if case .thinned(let seconds) = variant {
                #expect(
                    zip(0..., changed.fixes.indices.dropFirst()).allSatisfy {
                        (changed.seconds(from: $0, to: $1) ?? 0) >= seconds
                    })
                continue
            }
            #expect(changed.truth == trace.truth)
        }
        #expect(
            TraceVariant.positionsOnly.applied(to: trace).fixes.allSatisfy {
                $0.speedMetersPerSecond == nil && $0.headingDegrees == nil && $0.accuracyMeters == nil
            })
        let stale = TraceVariant.stale.applied(to: trace).fixes
        #expect(stale[1].coordinate == trace.fixes[0].coordinate && stale[2].coordinate == trace.fixes[2].coordinate)
        #expect(TraceVariant.statedAccuracy(meters: 5).applied(to: trace).fixes[7].accuracyMeters == 5)
        let optimistic = TraceVariant.optimistic(factor: 4).applied(to: trace).fixes[7].accuracyMeters
        #expect(optimistic == trace.fixes[7].accuracyMeters.map { $0 / 4 })
    }
}
