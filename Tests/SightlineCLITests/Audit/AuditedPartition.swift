@testable import Domain
@testable import Processors
@testable import Processing
@testable import SightlineCLI
@testable import Support

/// A partition in memory with raw records and the outputs of the location processor.
struct AuditedPartition {
    static let start = Timestamp(milliseconds: 1_770_000_000_000)
    static let settings = TrackingSettings()

    var raw: [AuditedRecord] = []
    /// Written records, by index of the processor's output.
    var outputs: [[AuditedRecord]] = [[], [], [], []]

    /// Creates `count` raw records of three drivers: a tenth is unreadable, and a tenth has two fixes.
    ///
    /// `rejected`: fixes of records whose offset ends with this digit are at (0, 0), and are rejected.
    init(count: Int = 60, rejected: Int? = nil) {
        for offset in 0..<count {
            let at = Self.start.advanced(bySeconds: Double(offset * 3))
            let isRejected = offset % 10 == rejected
            func fix(_ number: Int) -> String {
                let latitude = isRejected ? 0 : 48.1 + Double(number) * 1e-4
                return #"{"type":"location","sequence":\#(number),"payload":{"latitude":\#(latitude),"#
                    + #""longitude":\#(isRejected ? 0 : 11.5),"accuracy_meters":5,"timestamp":\#(at.milliseconds)}}"#
            }
            let value =
                switch offset % 10 {
                case 4: "{"
                case 7: #"{"type":"location_batch","locations":[\#(fix(2 * offset)),\#(fix(2 * offset + 1))]}"#
                default: fix(2 * offset)
                }
            raw.append(
                AuditedRecord(
                    partition: 2, offset: Int64(offset), timestamp: at, key: Array("drv_\(offset % 3)".utf8),
                    value: Array(value.utf8)))
        }
        var runner = InMemoryRunner(
            layout: LocationProcessor.layout(settings: Self.settings), partition: 2,
            processor: LocationProcessor(partition: 2, settings: Self.settings))
        for record in raw {
            record.withRecord(0) { record, _ in runner.process(record) }
            runner.drainOutputs { output in
                var copy = AuditedRecord(output)
                copy.offset = Int64(outputs[output.topic].count)
                outputs[output.topic].append(copy)
            }
        }
    }

    var verdicts: [AuditedRecord] {
        get { outputs[0] }
        set {
            outputs[0] = newValue
            for index in outputs[0].indices { outputs[0][index].offset = Int64(index) }
        }
    }

    /// Audits the outputs; returns the checks of verdicts, dead letters and warnings.
    ///
    /// `due`: from this raw offset on, outputs may be missing. `isStartDeleted`: the first minutes of verdicts restore
    /// the state. `since`: the first raw offset that is audited; verdicts of earlier records restore the state.
    func audit(
        due: Int64 = .max, countsRepeats: Bool = false, isStartDeleted: Bool = false, since: Int64? = nil
    ) throws -> [AuditCheck] {
        func isOfRun(_ event: EventID) -> Bool { event.offset >= since ?? 0 }
        let checks = ["verdicts", "dead letters", "warnings"].map {
            AuditCheck($0, "", exampleLimit: 10, countsRepeats: countsRepeats)
        }
        var replay = ProcessorReplay(
            layout: LocationProcessor.layout(settings: Self.settings), partition: 2,
            processor: LocationProcessor(partition: 2, settings: Self.settings),
            comparisons: Dictionary(
                uniqueKeysWithValues: checks.indices.map {
                    let records = outputs[$0].filter { [isChangelog = $0 == 0] record in
                        isChangelog || record.event.map(isOfRun) ?? true
                    }
                    return ($0, TopicComparison(RecordList(records), check: checks[$0]))
                }))
        if isStartDeleted || since != nil {
            try replay.restore(side: [3: RecordList(outputs[3])], until: since.map { _ in isOfRun })
        }
        try replay.run(RecordList(raw.filter { $0.offset >= since ?? 0 }), due: due)
        return checks
    }
}

/// A source of records in memory.
final class RecordList: RecordSource {
    private var records: ArraySlice<AuditedRecord>

    init(_ records: [AuditedRecord]) { self.records = records[...] }

    func next() -> AuditedRecord? { records.popFirst() }
}
