import Bytes
import Foundation

/// Which vehicle the payload of a `vehicle_position` is about.
enum VehicleName {
    private struct Payload: Decodable {
        var vehicleNumber: String
    }

    static func of(_ payload: ByteSlice) -> String? {
        try? JSONDecoder().decode(Payload.self, from: Data(payload.buffer)).vehicleNumber
    }
}
