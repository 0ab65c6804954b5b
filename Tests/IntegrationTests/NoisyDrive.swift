import Domain
import Foundation
import Processors
import Processing
import Support
import TestSupport

/// Verdicts, with filter states, of two vehicles that drive north at 10 m/s.
///
/// Each sends a fix every second, with an error of 6 m northwards and 4 m eastwards (standard deviations).
struct NoisyDrive {
    let verdicts = HistoryRecords(.locations)
    let seconds: Int
    private static let drivers = 2

    init(seconds: Int, seed: UInt64) {
        self.seconds = seconds
        var random = SeededGenerator(seed: seed)
        func noise() -> Double {
            (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) } * 6 / 111_195
        }
        var runner = InMemoryRunner(
            layout: LocationProcessor.layout(settings: TrackingSettings()),
            processor: LocationProcessor(partition: 0, settings: TrackingSettings()))
        runner.finishRestore()
        for second in 0..<seconds {
            for driver in 0..<Self.drivers {
                let at = verdicts.start + Int64(second) * 1000
                let value = """
                    {"type":"location","sequence":\(second + 1),"payload":{\
                    "latitude":\(Self.latitude(second) + noise()),"longitude":\(11.5 + noise()),"accuracy":6,\
                    "timestamp":\(at - 100)}}
                    """
                ByteSlice.withBytes(of: "drv_\(driver)") { key in
                    ByteSlice.withBytes(of: value) { value in
                        runner.process(
                            InputRecord(
                                partition: 0, offset: Int64(second * Self.drivers + driver),
                                timestamp: Timestamp(milliseconds: at), key: key, value: value))
                    }
                }
                runner.drainOutputs { output in
                    guard output.topic == 0, let value = output.value else { return }
                    let record = output.record(offset: 0)
                    verdicts.add(
                        key: output.key.string, event: output.event, timestamp: output.timestamp.milliseconds,
                        value: value.string, state: Array(record.state.buffer))
                }
            }
        }
    }

    /// Returns the true latitude at a second of the drive; the true longitude is always 11.5°.
    static func latitude(_ second: Int) -> Double { 48.1 + Double(second) * 10 / 111_195 }
}
