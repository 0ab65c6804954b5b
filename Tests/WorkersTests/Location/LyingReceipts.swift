import Support
import TestSupport
import LocationWorker

/// Simulated traffic of one partition, into which drivers of another producer are mixed whose receipts may be wrong.
struct LyingReceipts {
    /// What a wrong producer stamps.
    enum Device: CaseIterable {
        /// The device's time is right, only the receipt is not.
        case honest
        /// Device and receipt are wrong by the same.
        case ahead
        /// The device sends no time.
        case absent
    }

    static let prefix = "late_"
    let honest: SimulatedTraffic
    /// After every `every`-th honest record comes one of the other producer.
    let every: Int
    let drivers: Int

    init(
        seed: UInt64, seconds: Double = 300, every: Int, drivers: Int = 1, honestDrivers: Int = 10,
        start: Timestamp = SimulatedTraffic.start
    ) {
        honest = SimulatedTraffic(
            drivers: honestDrivers, seconds: seconds, seed: seed, cheaterShare: 0.4, start: start)
        self.every = every
        self.drivers = drivers
    }

    /// The partition's records; those of the other producer for whose number `isWrong` are `seconds` ahead.
    func raw(ahead seconds: Double, _ device: Device, where isWrong: (Int) -> Bool = { _ in true }) -> RecordedTopic {
        var raw = RecordedTopic()
        var number = 0
        for (index, record) in honest.raw.records.enumerated() {
            raw.records.append(record)
            guard index % every == every - 1 else { continue }
            let wrong = isWrong(number)
            raw.records.append(
                Self.record(
                    "\(Self.prefix)\(number % drivers)", at: record.timestamp, number: number / drivers,
                    stamped: wrong ? seconds : 0, device: device))
            number += 1
        }
        return raw
    }

    /// A location of a parked vehicle.
    static func record(
        _ driver: String, at time: Timestamp, number: Int, stamped ahead: Double = 0, device: Device = .honest
    ) -> RecordedTopic.Record {
        let stamp = time.advanced(bySeconds: ahead)
        let timestamp =
            switch device {
            case .honest: #","timestamp":\#(time.milliseconds)"#
            case .ahead: #","timestamp":\#(stamp.milliseconds)"#
            case .absent: ""
            }
        let value = """
            {"type":"location","sequence":\(number),"payload":{"latitude":48.10000\(number % 7),"longitude":11.5,\
            "accuracy_meters":8,"speed_mps":0\(timestamp)}}
            """
        return .init(key: Array(driver.utf8), value: Array(value.utf8), timestamp: stamp)
    }
}

extension RecordedTopic {
    /// Without the records of the other producer's drivers.
    var ofHonestDrivers: RecordedTopic {
        var topic = self
        topic.records.removeAll { String(decoding: $0.key, as: UTF8.self).hasPrefix(LyingReceipts.prefix) }
        return topic
    }

    /// The records of the other producer's drivers alone.
    var ofLateDrivers: RecordedTopic {
        var topic = self
        topic.records.removeAll { !String(decoding: $0.key, as: UTF8.self).hasPrefix(LyingReceipts.prefix) }
        return topic
    }
}
