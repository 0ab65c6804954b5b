import Codec
import Model
import Processing

extension EtaProcessor {
    /// What the stage reads, writes and counts.
    package static func layout(memorySeconds: Double) -> ProcessorLayout {
        let memory = Int64(memorySeconds * 1000)
        return ProcessorLayout(
            name: "eta",
            inputs: [
                // Back by the memory: a driver without a trip leaves no trace in the changelog, but a last position
                // here.
                .init(topic: PipelineTopic.locations.rawValue, resume: .rewound(milliseconds: memory)),
                .init(topic: PipelineTopic.trips.rawValue, resume: .replayed),
            ],
            outputs: [
                .init(topic: PipelineTopic.tripEtas.rawValue),
                .init(topic: PipelineTopic.tripsDeadLetter.rawValue),
                .init(topic: PipelineTopic.paces.rawValue, delivery: .checkpoint, restored: .all),
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
            ProcessorLayout.Counter(.paceLessons),
            ProcessorLayout.Counter(.pacesDisplaced),
        ]
    }()

    static let unreadableSlot = DeadLetterReason.allCases.count + TripRejection.allCases.count
    static let lessonSlot = unreadableSlot + 1
    static let evictionSlot = unreadableSlot + 2

    static func counter(of reason: DeadLetterReason) -> Int { Int(reason.rawValue) }

    static func counter(of rejection: TripRejection) -> Int {
        DeadLetterReason.allCases.count + Int(rejection.rawValue)
    }
}
