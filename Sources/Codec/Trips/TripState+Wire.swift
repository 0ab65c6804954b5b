import Domain
import Support

extension TripState {
    /// Reads a state as spelled by trip services (`IN_PROGRESS`, `inProgress`) or the mobile app.
    ///
    /// The app has more states, which the stage distinguishes: `driver_assigned` and `driver_en_route` both mean an
    /// accepted trip, `trip_started` and `arrived_destination` both a trip in progress.
    package static func find(wire text: ByteSlice) -> (state: TripState, stage: TripStage?)? {
        var letters = (UInt64(0), UInt64(0), UInt64(0))
        return withUnsafeMutableBytes(of: &letters) { buffer in
            var count = 0
            for byte in text.buffer where byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
                guard count < buffer.count else { return nil }
                buffer[count] = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
                count += 1
            }
            return Self.find(ByteSlice(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[0..<count])))
        }
    }

    private static func find(_ letters: ByteSlice) -> (state: TripState, stage: TripStage?)? {
        guard let state = aliases.first(where: { letters == $0.letters })?.state else { return nil }
        return (state, stages.first { letters == $0.letters }?.stage)
    }

    private static let stages: [(letters: StaticString, stage: TripStage)] = [
        ("driverenroute", .driverEnRoute), ("enroutetopickup", .driverEnRoute),
        ("arriveddestination", .arrivedDestination),
    ]

    private static let aliases: [(letters: StaticString, state: TripState)] = [
        ("requested", .requested), ("searching", .requested), ("pending", .requested),
        ("accepted", .accepted), ("assigned", .accepted), ("driverassigned", .accepted),
        ("driverenroute", .accepted), ("enroutetopickup", .accepted),
        ("arrived", .arrived), ("arrivedpickup", .arrived), ("arrivedatpickup", .arrived), ("driverarrived", .arrived),
        ("inprogress", .inProgress), ("tripstarted", .inProgress), ("started", .inProgress),
        ("arrivingdestination", .inProgress), ("arriveddestination", .inProgress),
        ("completed", .completed), ("tripcompleted", .completed),
        ("cancelled", .cancelled), ("canceled", .cancelled), ("tripcancelled", .cancelled),
        ("tripcanceled", .cancelled),
    ]
}
