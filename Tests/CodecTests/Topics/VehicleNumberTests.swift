import Codec
import Support
import Testing

@Suite("The vehicle of a route's update")
struct VehicleNumberTests {
    private func vehicle(_ payload: String) -> String? {
        ByteSlice.withBytes(of: payload) { payload in
            RiderUpdateEnvelopeReader().vehicle(of: payload).map { "\($0.run.string) \($0.number.string)" }
        }
    }

    @Test("is read with its run as they stand in the payload, and is absent where the payload lacks either")
    func read() {
        #expect(vehicle(#"{"streamId":"r","eta":[],"vehicleNumber":"KA-01 7","latLng":{}}"#) == "r KA-01 7")
        #expect(vehicle(#"{"vehicleNumber":"a\"b","streamId":"r"}"#) == #"r a\"b"#)
        #expect(vehicle(#"{"streamId":"r","vehicleNumber":7}"#) == nil)
        #expect(vehicle(#"{"streamId":"r","vehicleNumber":""}"#) == nil)
        #expect(vehicle(#"{"vehicleNumber":"7"}"#) == nil && vehicle(#"{"streamId":"r"}"#) == nil)
        #expect(vehicle("{}") == nil && vehicle("7") == nil)
    }
}
