import Processors
import Support
import TestSupport

/// Parked drivers at two places 33 km apart, with wrong positions of single drivers and of many drivers at once.
struct DisturbedTraffic {
    var raw = RecordedTopic()

    init(drivers: Int, seconds: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let start = Timestamp(milliseconds: 1_770_000_000_000)
        var silentUntil = Array(repeating: 0, count: drivers)
        for second in 0..<seconds {
            let isDisturbed = second % 150 >= 100
            for driver in 0..<drivers {
                // Includes long silences, so that evidence is revoked late.
                if Int.random(in: 0..<40, using: &random) == 0 {
                    silentUntil[driver] = second + Int.random(in: 1...40, using: &random)
                }
                guard second >= silentUntil[driver] else { continue }
                let north = driver % 3 == 0 ? 0.3 : 0
                let isWrong =
                    isDisturbed && driver % 3 != 0
                    ? Int.random(in: 0..<25, using: &random) == 0
                    : Int.random(in: 0..<400, using: &random) == 0
                let wrong = isWrong ? Double.random(in: 0.02...0.1, using: &random) : 0
                let noise = Double.random(in: -1e-5...1e-5, using: &random)
                let at = start.advanced(bySeconds: Double(second) + Double(driver) / 50)
                let isBroken = Int.random(in: 0..<200, using: &random) == 0
                let fix =
                    #"{"type":"location","sequence":\#(second + 1),"payload":{"latitude":\#(48.1 + north + wrong),"#
                    + #""longitude":\#(11.5 + Double(driver) / 1000 + noise),"accuracy_meters":\#(5 + noise * 1e5),"#
                    + #""trip_id":"t","timestamp":\#(at.milliseconds)}}"#
                raw.records.append(
                    .init(
                        key: Array("drv_\(driver)".utf8), value: Array((isBroken ? "{" : fix).utf8), timestamp: at))
            }
        }
    }
}
