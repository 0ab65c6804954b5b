import Codec
import Domain
import Support

/// Records of foreigners through all three stages: any bytes, any times, any order.
///
/// Every step takes a byte that says what comes, one for the time, and then what it needs.
final class PipelineTarget: FuzzTarget {
    static let name = "pipeline"
    private let outputs = OutputProperties()
    private let settings = Scene.tracking
    private let keys: [[UInt8]] = ["d7", "d8", "d 9", ""].map { Array($0.utf8) }
    private let states = [
        "REQUESTED", "ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED", "CANCELLED", "searching", "?",
    ]
    private static let longestRun = 64

    func run(_ input: ByteSlice) {
        var partition = PipelinePartition(settings: settings, outputs: outputs)
        var bytes = ByteSupply(input)
        var steps = 0
        while !bytes.isEmpty, steps < Self.longestRun {
            steps += 1
            let kind = bytes.byte()
            partition.at = bytes.time(after: partition.at)
            let key = keys[Int(kind >> 6)]
            switch kind & 7 {
            case 0...3: partition.takeRaw(key: key, value: fix(&bytes))
            case 4: partition.takeRaw(key: key, value: bytes.run())
            case 5: partition.takeTrip(key: key, value: trip(&bytes, driver: key))
            case 6: partition.takeTrip(key: key, value: kind & 8 == 0 ? bytes.run() : nil)
            default: partition.takeVerdict(key: key, value: bytes.run())
            }
        }
    }

    /// A fix near the route of the trips, or anywhere.
    private func fix(_ bytes: inout ByteSupply) -> [UInt8] {
        let flags = bytes.byte()
        let isFar = flags & 1 != 0
        let latitude = isFar ? Double(bytes.short()) / 364 : 48.1374 + Double(bytes.short()) * 1e-6
        let longitude = isFar ? Double(bytes.short()) / 182 : 11.5755 + Double(bytes.short()) * 1e-6
        var text = #"{"type":"location","latitude":\#(latitude),"longitude":\#(longitude)"#
        text += #","sequence":\#(Self.sequence(&bytes)),"session_id":"s\#(flags >> 6)""#
        if flags & 2 != 0 { text += #","accuracy_meters":\#(bytes.byte())"# }
        if flags & 4 != 0 { text += #","speed_mps":\#(Double(bytes.short()) / 100),"heading":\#(bytes.byte())"# }
        if flags & 8 != 0 { text += #","timestamp":\#(bytes.number())"# }
        if flags & 16 != 0 { text += #","trip_id":"t1","is_mock":true,"altitude_meters":\#(bytes.short())"# }
        if flags & 32 != 0 { text += #","occupancy_percent":\#(bytes.byte()),"source":"cached""# }
        return Array((text + "}").utf8)
    }

    private static func sequence(_ bytes: inout ByteSupply) -> Int64 {
        let byte = bytes.byte()
        return byte == 0xFF ? bytes.number() : Int64(byte)
    }

    private func trip(_ bytes: inout ByteSupply, driver: [UInt8]) -> [UInt8] {
        let flags = bytes.byte()
        let state = states[Int(flags & 7)]
        var text = #"{"trip_id":"t\#(flags >> 6)","state":"\#(state)","kind":"\#(flags & 8 == 0 ? "ride" : "transit")""#
        let stops = (0..<bytes.byte() % 4).map { number in
            let latitude = 48.1374 + Double(bytes.short()) * 1e-5
            return
                #"{"stop_id":"\#(["pickup", "dropoff", "a", "a"][Int(number)])","latitude":\#(latitude),"longitude":11.58"#
                + #","scheduled_at":\#(bytes.number())}"#
        }
        text += #","stops":[\#(stops.joined(separator: ","))],"route_id":"u1","queue_position":\#(flags >> 5 & 1)"#
        if flags & 16 != 0 {
            let points = (0..<bytes.byte() % 8).map { _ in
                Coordinate(latitude: 48.1374, longitude: 11.57 + Double(bytes.short()) * 1e-5)
            }
            let line = Polyline.encode(points, precision: 5).replacing("\\", with: "\\\\")
            text += #","route":{"polyline":"\#(line)","duration_seconds":\#(bytes.byte())}"#
        }
        text += #","version":\#(bytes.byte()),"changed_at":\#(bytes.number())"#
        return Array((text + "}").utf8)
    }
}
