import Codec
import Domain
import Processing

extension EtaProcessor {
    package static func layout(memorySeconds: Double) -> ProcessorLayout {
        let memory = Int64(memorySeconds * 1000)
        return ProcessorLayout(
            name: "eta",
            inputs: [
                // Rewound to restore the last positions of drivers without a trip, which are not in the changelog.
                .init(topic: PipelineTopic.locations.rawValue, resume: .rewound(milliseconds: memory)),
                .init(topic: PipelineTopic.trips.rawValue, resume: .replayed),
            ],
            outputs: [
                .init(topic: PipelineTopic.tripEtas.rawValue),
                .init(topic: PipelineTopic.tripsDeadLetter.rawValue),
                .init(topic: PipelineTopic.roadSpeeds.rawValue, delivery: .checkpoint, restored: .all),
                .init(topic: PipelineTopic.tripWarnings.rawValue),
            ],
            memoryMilliseconds: memory, punctuationIntervalMilliseconds: 5000, counters: counterDefinitions)
    }

    static let counterDefinitions: [ProcessorLayout.Counter] = {
        let codes = DeadLetterReason.allCases.map(\.code) + TripRejection.allCases.map(\.code)
        return codes.map {
            ProcessorLayout.Counter(.deadLetters, [(.stage, "eta"), (.reason, "\($0)")])
        } + [
            ProcessorLayout.Counter(.recordsUnreadable, [(.stage, "eta")]),
            ProcessorLayout.Counter(.roadSpeedObservations),
            ProcessorLayout.Counter(.roadSpeedsEvicted),
        ]
    }()

    static let unreadableSlot = DeadLetterReason.allCases.count + TripRejection.allCases.count
    static let observationSlot = unreadableSlot + 1
    static let evictionSlot = unreadableSlot + 2

    static func counter(of reason: DeadLetterReason) -> Int { Int(reason.rawValue) }

    static func counter(of rejection: TripRejection) -> Int {
        DeadLetterReason.allCases.count + Int(rejection.rawValue)
    }
}
