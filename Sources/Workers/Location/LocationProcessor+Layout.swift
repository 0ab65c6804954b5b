import Codec
import Domain
import Processing

extension LocationProcessor {
    package static func layout(settings: TrackingSettings) -> ProcessorLayout {
        ProcessorLayout(
            name: "location",
            inputs: [.init(topic: PipelineTopic.rawLocations.rawValue, resume: .afterChangelog)],
            outputs: [
                .init(topic: PipelineTopic.locations.rawValue),
                .init(topic: PipelineTopic.locationsDeadLetter.rawValue),
                .init(topic: PipelineTopic.warnings.rawValue),
                // The changelog does not wait for track chunks, because a restore writes lost
                // chunks again from the headers of their verdicts.
                .init(
                    topic: PipelineTopic.tracks.rawValue, delivery: .withChangelog,
                    restored: .last(settings.replay.rememberedChunks)),
            ],
            memoryMilliseconds: Int64(settings.longestMemorySeconds * 1000), counters: counterDefinitions)
    }

    static let counterDefinitions: [ProcessorLayout.Counter] = {
        let reasons = ["NONE"] + Reasons.all.map { "\($0.code)" }
        let verdicts = Verdict.allCases.flatMap { verdict in
            reasons.map {
                ProcessorLayout.Counter(.verdicts, [(.verdict, "\(verdict.code)"), (.reason, $0)])
            }
        }
        let deadLetters = DeadLetterReason.allCases.map {
            ProcessorLayout.Counter(.deadLetters, [(.stage, "location"), (.reason, "\($0.code)")])
        }
        let warnings = Reasons.all.flatMap { reason in
            LocationWarning.Action.allCases.map {
                ProcessorLayout.Counter(.warnings, [(.code, "\(reason.code)"), (.action, "\($0.code)")])
            }
        }
        return verdicts + deadLetters + warnings + [
            ProcessorLayout.Counter(.fixesLost),
            ProcessorLayout.Counter(.fixesUnreadable),
            ProcessorLayout.Counter(.receiptsAhead),
        ]
    }()

    private static let reasonSlots = Reasons.all.count + 1
    private static let deadLetterBase = Verdict.allCases.count * reasonSlots
    private static let warningBase = deadLetterBase + DeadLetterReason.allCases.count
    private static let lostSlot = warningBase + Reasons.all.count * LocationWarning.Action.allCases.count
    static let unreadableFixSlot = lostSlot + 1
    static let receiptSlot = lostSlot + 2

    /// Counts a result under its verdict and its first reason.
    func count(_ result: VerdictResult) {
        let reason = result.reasons.isEmpty ? 0 : result.reasons.rawValue.trailingZeroBitCount + 1
        counts[Int(result.verdict.rawValue) * Self.reasonSlots + reason] += 1
        counts[Self.lostSlot] += result.lostFixes
    }

    static func counter(of reason: DeadLetterReason) -> Int { deadLetterBase + Int(reason.rawValue) }

    static func counter(of warning: LocationWarning) -> Int {
        warningBase + warning.reason.rawValue.trailingZeroBitCount * LocationWarning.Action.allCases.count
            + Int(warning.action.rawValue)
    }
}
