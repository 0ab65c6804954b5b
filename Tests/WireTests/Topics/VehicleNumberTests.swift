import Bytes
import Testing
import Wire

@Suite("The vehicle of a vehicle_position")
struct VehicleNumberTests {
    private func number(_ payload: String) -> String? {
        ByteSlice.withBytes(of: payload) { payload in
            RiderUpdateEnvelopeReader().vehicleNumber(of: payload).map { String(decoding: $0.buffer, as: UTF8.self) }
        }
    }

    @Test("is read as it stands in the payload, and is absent where the payload has none")
    func read() {
        #expect(number(#"{"eta":[],"vehicleNumber":"KA-01 7","latLng":{}}"#) == "KA-01 7")
        #expect(number(#"{"vehicleNumber":"a\"b"}"#) == #"a\"b"#)
        #expect(number(#"{"vehicleNumber":7}"#) == nil && number(#"{"vehicleNumber":""}"#) == nil)
        #expect(number("{}") == nil && number("7") == nil)
    }
}
