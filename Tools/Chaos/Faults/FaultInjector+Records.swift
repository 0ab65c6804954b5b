import Foundation
import Kafka
import Support

/// Records that can be read and are unusual: dated by a clock that jumps, or as large as a record may be.
extension FaultInjector {
    /// One of three gateways dates its records by a clock that jumps by minutes, hours and days.
    func jumpTimestamps() throws -> String {
        let sender = try RecordSender(environment)
        let day = 86_400.0
        let jumps = [0, 300, -300, 3000, -10_800, 10_800, -2 * day, 2 * day, 0].shuffled(using: &generator)
        for (sequence, seconds) in jumps.enumerated() {
            for partition in 0..<Int32(partitions) {
                let driver = Self.driver("gateway", of: partition, partitions)
                let fix = Self.fix(driver: driver, sequence: sequence, secondsAgo: 0)
                try sender.send(fix, key: driver, to: .rawLocations, partition: partition, secondsAhead: seconds)
            }
            try fleet.wait(seconds: 0.5)
        }
        let count = try sender.finish()
        return "\(count.sent) records with timestamps off by up to two days, \(count.refused) refused by the broker"
    }

    /// Batches of 500 fixes and records of nearly a megabyte, in every partition.
    func sendGiantBatches() throws -> String {
        let sender = try RecordSender(environment)
        for partition in 0..<Int32(partitions) {
            let driver = Self.driver("offline", of: partition, partitions)
            let fixes = (0..<500).map { Self.fix(driver: driver, sequence: $0, secondsAgo: 600 - Double($0)) }
            let unreadable = (0..<500).map { _ in
                #"{"latitude":91,"note":""# + String(repeating: "x", count: 1800) + "\"}"
            }
            let records = [
                Self.batch(fixes, driver), Self.batch(unreadable, driver), Self.batch(fixes + fixes, driver),
                String(repeating: "[", count: 900_000), "{\"note\":\"" + String(repeating: "y", count: 900_000) + "\"}",
            ]
            for record in records.shuffled(using: &generator) {
                try sender.send(record, key: driver, to: .rawLocations, partition: partition)
            }
        }
        return "\(try sender.finish().sent) records of up to 1 MB"
    }

    /// A driver whose key belongs in `partition`.
    static func driver(_ prefix: String, of partition: Int32, _ partitions: Int) -> String {
        var number = 0
        while true {
            let name = "\(prefix)_\(number)"
            let own = ByteSlice.withBytes(of: name) { murmur2Partition(key: $0, count: Int32(partitions)) }
            if own == partition { return name }
            number += 1
        }
    }

    static func fix(driver: String, sequence: Int, secondsAgo: Double, isMock: Bool = false) -> String {
        let milliseconds = Int64((Date().timeIntervalSince1970 - secondsAgo) * 1000)
        let payload =
            #"{"latitude":\#(48.1 + Double(sequence) * 0.00005),"longitude":11.5,"accuracy_meters":5,"#
            + #""timestamp":\#(milliseconds)\#(isMock ? #","is_mock":true"# : "")}"#
        return #"{"type":"location","driver_id":"\#(driver)","sequence":\#(sequence),"payload":\#(payload)}"#
    }

    private static func batch(_ fixes: [String], _ driver: String) -> String {
        #"{"type":"location_batch","driver_id":"\#(driver)","locations":["# + fixes.joined(separator: ",") + "]}"
    }
}
