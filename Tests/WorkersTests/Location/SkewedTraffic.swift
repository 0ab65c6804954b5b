import Processors
import Support
import TestSupport

/// Simulated traffic of one partition, mixed with drivers of another producer whose timestamps may be wrong.
struct SkewedTraffic {
    /// Device times of records with a wrong timestamp.
    enum Device: CaseIterable {
        /// The device time is correct.
        case correct
        /// The device time has the same error as the timestamp.
        case ahead
        /// There is no device time.
        case absent
    }

    static let prefix = "late_"
    let simulated: SimulatedTraffic
    /// A record of the other producer follows every `every`-th simulated record.
    let every: Int
    let drivers: Int

    init(
        seed: UInt64, seconds: Double = 300, every: Int, drivers: Int = 1, simulatedDrivers: Int = 10,
        start: Timestamp = SimulatedTraffic.start
    ) {
        simulated = SimulatedTraffic(
            drivers: simulatedDrivers, seconds: seconds, seed: seed, cheaterShare: 0.4, start: start)
        self.every = every
        self.drivers = drivers
    }

    /// Returns the partition's records; `isWrong` selects records of the other producer for a lead of `seconds`.
    func raw(ahead seconds: Double, _ device: Device, where isWrong: (Int) -> Bool = { _ in true }) -> RecordedTopic {
        var raw = RecordedTopic()
        var number = 0
        for (index, record) in simulated.raw.records.enumerated() {
            raw.records.append(record)
            guard index % every == every - 1 else { continue }
            let wrong = isWrong(number)
            raw.records.append(
                Self.record(
                    "\(Self.prefix)\(number % drivers)", at: record.timestamp, number: number / drivers,
                    skew: wrong ? seconds : 0, device: device))
            number += 1
        }
        return raw
    }

    /// Returns a location of a parked vehicle, whose timestamp is wrong by `skew` seconds.
    static func record(
        _ driver: String, at time: Timestamp, number: Int, skew: Double = 0, device: Device = .correct
    ) -> RecordedTopic.Record {
        let skewed = time.advanced(bySeconds: skew)
        let timestamp =
            switch device {
            case .correct: #","timestamp":\#(time.milliseconds)"#
            case .ahead: #","timestamp":\#(skewed.milliseconds)"#
            case .absent: ""
            }
        let value = """
            {"type":"location","sequence":\(number),"payload":{"latitude":48.10000\(number % 7),"longitude":11.5,\
            "accuracy_meters":8,"speed_mps":0\(timestamp)}}
            """
        return .init(key: Array(driver.utf8), value: Array(value.utf8), timestamp: skewed)
    }
}

extension RecordedTopic {
    /// The records of the simulated drivers.
    var ofSimulatedDrivers: RecordedTopic {
        var topic = self
        topic.records.removeAll { String(decoding: $0.key, as: UTF8.self).hasPrefix(SkewedTraffic.prefix) }
        return topic
    }

    /// The records of the other producer.
    var ofOtherProducer: RecordedTopic {
        var topic = self
        topic.records.removeAll { !String(decoding: $0.key, as: UTF8.self).hasPrefix(SkewedTraffic.prefix) }
        return topic
    }
}
