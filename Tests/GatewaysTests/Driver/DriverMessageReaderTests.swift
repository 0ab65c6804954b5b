import TestSupport
import Testing

@testable import Codec
@testable import Domain
@testable import Gateways
@testable import Support

@Suite("Messages of devices")
struct DriverMessageReaderTests {
    private let reader = DriverMessageReader()

    @Test(
        "locations of every format become records byte for byte",
        arguments: [
            (DeviceMessages.rideshare, "s1 1847…1847"), (DeviceMessages.update, ""), (DeviceMessages.stored, ""),
            (#"  {"lat":1, "lng":2, "timestamp":1741977135123, "x":[{"y":null}]}  "#, ""),
        ])
    func single(message: String, sequences: String) {
        let read = reader.read(message)
        #expect(read.kind == "locations" && !read.isBatch && read.fixCount == 1)
        #expect(read.value == message)
        #expect(read.sequences == sequences)
    }

    @Test("location-worker can read the record, and no session is added")
    func record() {
        let raw = RawRecordReader()
        ByteSlice.withBytes(of: "drv_17") { key in
            ByteSlice.withBytes(of: DeviceMessages.update) { message in
                guard case .locations(let locations) = reader.read(MessageOutline(message), driver: key) else {
                    Issue.record("The message was rejected.")
                    return
                }
                guard case .fixes(isBatch: false) = raw.read(key: key, value: locations.value) else {
                    Issue.record("The worker cannot read the record.")
                    return
                }
                #expect(raw.fixes[0].sessionID.isEmpty)
                #expect(raw.fixes[0].fix.deviceAt == Timestamp(milliseconds: 1_741_977_135_123))
            }
        }
    }

    @Test("a batch is one record, with the sequences of all its fixes")
    func batch() {
        let message = DeviceMessages.batch([8, 6, 7].map { DeviceMessages.fix($0) })
        let read = reader.read(message)
        #expect(read.kind == "locations" && read.isBatch && read.fixCount == 3)
        #expect(read.value == message && read.sequences == "s9 6…8" && read.unreadable == [])
    }

    @Test("an array of locations is wrapped in an object")
    func array() {
        let array = "\n [\(DeviceMessages.stored), \(DeviceMessages.update)]\n"
        let read = reader.read(array)
        #expect(read.kind == "locations" && read.isBatch && read.fixCount == 2)
        #expect(read.value == "{\"locations\":\(array)}")
        // The reader's buffer is reused.
        #expect(reader.read("[\(DeviceMessages.fix(1))]").value == "{\"locations\":[\(DeviceMessages.fix(1))]}")
        #expect(reader.read("[]").refusal == "MISSING_FIELD locations")
        #expect(reader.read("[1").refusal == "MALFORMED_JSON ")
    }

    @Test(
        "text after an array, other than whitespace, makes the message malformed",
        arguments: [
            #""x":1"#, #""x":[1]"#, #""locations":[{"lat":1,"lng":2,"sequence":2}]"#, #""type":"location_batch""#,
        ])
    func textAfterArray(members: String) {
        #expect(reader.read("[\(DeviceMessages.fix(1))],\(members)").refusal == "MALFORMED_JSON ")
        #expect(reader.read("[\(DeviceMessages.fix(1))] \n").refusal == "")
        #expect(reader.read(#"[{"lat":1,"lng":2,"sequence":1,"note":"a],b"}]"#).refusal == "")
    }

    @Test("a byte order mark is removed from every kind of message")
    func byteOrderMark() {
        let mark = "\u{FEFF}"
        let read = reader.read(mark + DeviceMessages.rideshare)
        #expect(read.kind == "locations" && read.value == DeviceMessages.rideshare)
        #expect(reader.read("\(mark)[\(DeviceMessages.fix(1))]").value == "{\"locations\":[\(DeviceMessages.fix(1))]}")
        #expect(reader.read(mark + DeviceMessages.status).kind == "status")
        #expect(reader.read(mark + #"{"type":"ping"}"#).kind == "ping")
        #expect(reader.read(mark).refusal == "EMPTY_VALUE ")
        let id = ByteSlice.withBytes(of: mark + DeviceMessages.status) { MessageOutline($0).messageID?.string }
        #expect(id == "\"m1\"")
    }

    @Test(
        "the fault of a message without a position has the field latitude and lists the unknown names",
        arguments: [
            (
                #"{"location":{"coords":{"latitude":31.2,"longitude":-97.4},"timestamp":1741977135123}}"#,
                "location, coords"
            ),
            (#"{"tst":1741977135,"lon":-97.4}"#, "tst, lon"),
        ])
    func unknownNames(message: String, names: String) {
        let fault = reader.read(message).fault
        #expect(fault?.field == "latitude" && fault?.reason == .missingField)
        #expect(fault?.text.hasPrefix("latitude is missing; accepted names: latitude, lat, ") == true)
        #expect(
            fault?.text.hasSuffix("unknown names in the record: \(names)") == true, "\(fault?.text ?? "")")
    }

    @Test("sequences are returned only if all readable fixes have a sequence of the same session")
    func sequences() {
        let without = #"{"lat":1,"lng":2,"timestamp":1741977135123}"#
        #expect(reader.read(DeviceMessages.batch([DeviceMessages.fix(1), without])).sequences == "")
        let other = DeviceMessages.fix(2, #""session_id":"s2""#)
        #expect(reader.read(DeviceMessages.batch([DeviceMessages.fix(1), other])).sequences == "")
        #expect(reader.read(DeviceMessages.batch([other, other])).sequences == "s2 2…2")
        #expect(reader.read(DeviceMessages.fix(0)).sequences == " 0…0")
        // Unreadable fixes are ignored.
        let unreadable = #"{"lat":91,"lng":2,"sequence":5}"#
        #expect(reader.read(DeviceMessages.batch([DeviceMessages.fix(1), unreadable])).sequences == "s9 1…1")
    }

    @Test("speed and battery are those of the last readable fix")
    func condition() {
        let unreadable = #"{"lat":91,"lng":2,"sequence":5,"battery_percent":3}"#
        let message = "[\(DeviceMessages.rideshare),\(DeviceMessages.stored),\(unreadable)]"
        ByteSlice.withBytes(of: message) { message in
            let read = reader.read(MessageOutline(message), driver: ByteSlice("drv_17"))
            guard case .locations(let locations) = read else {
                Issue.record("The message was rejected.")
                return
            }
            #expect(locations.speedMetersPerSecond == 8.5)
            #expect(locations.batteryPercent == 18)
            #expect(locations.isCharging == true)
            #expect(locations.network == nil)
            #expect(locations.unreadableCount == 1)
        }
    }

    @Test(
        "a driver id in a message must be that of the token",
        arguments: [
            #"{"driver_id":"D","lat":1,"lng":2,"sequence":1}"#, #"{"lat":1,"lng":2,"sequence":1,"driverId":"D"}"#,
            #"{"type":"location","payload":{"driverId":"D","lat":1,"lng":2},"sequence":1}"#,
            #"{"driver_id":"D","locations":[{"lat":1,"lng":2,"sequence":1}]}"#,
            #"{"locations":[{"lat":1,"lng":2,"sequence":1},{"driver_id":"D","lat":1,"lng":2,"sequence":2}]}"#,
            #"[{"lat":1,"lng":2,"sequence":1},{"driver_id":"D","lat":1,"lng":2,"sequence":2}]"#,
            #"{"type":"trip_status","driverId":"D","payload":{"tripId":"t","status":"accepted"}}"#,
            #"{"type":"trip_status","payload":{"tripId":"t","status":"accepted","driver_id":"D"}}"#,
        ])
    func driver(template: String) {
        let own = reader.read(template.replacing("\"D\"", with: "\"drv_17\""))
        #expect(own.fault == nil)
        for other in ["drv_1", "drv_170", "DRV_17", ""] {
            let read = reader.read(template.replacing("\"D\"", with: "\"\(other)\""))
            #expect(read.refusal.hasPrefix("KEY_MISMATCH driver"), "\(other)")
            #expect(read.fault?.text.contains("is not the token's driver; expected drv_17") == true)
        }
    }

    @Test("a batch with readable fixes is accepted, and its unreadable fixes are listed")
    func partlyUnreadable() {
        let message = DeviceMessages.batch([
            DeviceMessages.fix(1), #"{"lat":91,"lng":2,"sequence":2}"#, #"{"lat":-91,"lng":2,"sequence":3}"#,
            #"{"lng":2,"sequence":4}"#, DeviceMessages.fix(5), DeviceMessages.status, "7",
            #"{"lat":91,"lng":2,"sequence":8}"#, #"{"lat":1,"lng":181,"sequence":9}"#, #"{"lat":1,"lng":"2"}"#,
        ])
        let read = reader.read(message)
        #expect(read.kind == "locations" && read.fixCount == 10 && read.value == message)
        #expect(
            read.unreadable == [
                FaultRun(range: 1...2, reason: .outOfRange, field: "lat"),
                FaultRun(range: 3...3, reason: .missingField, field: "latitude"),
                FaultRun(range: 5...5, reason: .wrongTopic, field: "type"),
                FaultRun(range: 6...6, reason: .wrongType, field: "locations"),
                FaultRun(range: 7...7, reason: .outOfRange, field: "lat"),
                FaultRun(range: 8...8, reason: .outOfRange, field: "lng"),
                FaultRun(range: 9...9, reason: .wrongType, field: "lng"),
            ])
    }

    @Test("a batch without readable fixes is rejected, and all its fixes are listed", arguments: [1, 2, 500])
    func allUnreadable(count: Int) {
        let read = reader.read(
            DeviceMessages.batch(Array(repeating: #"{"lat":1,"lng":181,"sequence":2}"#, count: count)))
        #expect(read.refusal == "OUT_OF_RANGE lng")
        #expect(read.fault?.text == "lng 181 is outside -180 to 180")
        #expect(
            read.fault?.unreadable == [FaultRun(range: 0...count - 1, reason: .outOfRange, field: "lng")])
    }

    @Test("up to 64 runs of unreadable fixes are listed", arguments: [63, 64, 65])
    func runs(count: Int) {
        let pair = [DeviceMessages.fix(1), #"{"lat":91,"lng":2,"sequence":2}"#]
        let read = reader.read(DeviceMessages.batch((0..<count).flatMap { _ in pair }))
        #expect(read.fixCount == 2 * count && read.unreadable.count == min(count, 64))
    }

    @Test("a batch has up to 500 fixes", arguments: [true, false])
    func fixes(isArray: Bool) {
        func message(_ count: Int) -> String {
            let elements = (0..<count).map { DeviceMessages.fix($0) }
            return isArray ? "[\(elements.joined(separator: ","))]" : DeviceMessages.batch(elements)
        }
        #expect(reader.read(message(499)).fixCount == 499)
        #expect(reader.read(message(500)).fixCount == 500)
        let refused = reader.read(message(501))
        #expect(refused.refusal == "BATCH_TOO_LARGE locations")
        #expect(refused.fault?.text == "The batch has 501 fixes; at most 500 are allowed")
    }

    @Test("a location has up to 64 KiB and a batch up to 1 MiB")
    func bytes() {
        func padded(_ message: String, to count: Int) -> String {
            message + String(repeating: " ", count: count - message.utf8.count)
        }
        #expect(reader.read(padded(DeviceMessages.rideshare, to: RawLimits.singleBytes)).fault == nil)
        #expect(reader.read(padded(DeviceMessages.rideshare, to: RawLimits.singleBytes + 1)).refusal == "TOO_LARGE ")
        let batch = DeviceMessages.batch([DeviceMessages.fix(1)])
        #expect(reader.read(padded(batch, to: RawLimits.batchBytes)).fault == nil)
        #expect(reader.read(padded(batch, to: RawLimits.batchBytes + 1)).refusal == "TOO_LARGE ")
        // The limit includes the object that wraps an array.
        let wrapperBytes = "{\"locations\":}".utf8.count
        let array = "[\(DeviceMessages.fix(1))]"
        #expect(reader.read(padded(array, to: RawLimits.batchBytes - wrapperBytes)).fault == nil)
        #expect(reader.read(padded(array, to: RawLimits.batchBytes - wrapperBytes + 1)).refusal == "TOO_LARGE ")
    }

    @Test(
        "a fault has a reason, a field and a text",
        arguments: [
            ("", "EMPTY_VALUE ", "The message is empty; expected a JSON object"),
            ("{", "MALFORMED_JSON ", "The value is not one JSON object, or is nested too deeply"),
            ("7", "MALFORMED_JSON ", "The value is not one JSON object, or is nested too deeply"),
            (#"{"lat":91,"lng":2,"sequence":1}"#, "OUT_OF_RANGE lat", "lat 91 is outside -90 to 90"),
            (
                #"{"lat":1,"lng":2,"sequence":1,"speed":"fast"}"#, "WRONG_TYPE speed",
                #"speed "fast" is not accepted; expected a number"#
            ),
            (
                #"{"lat":1,"lng":2}"#, "MISSING_FIELD timestamp",
                "timestamp is missing; accepted names: timestamp"
            ),
            (
                #"{"type":"subscribe","channel":"trip:t"}"#, "SOCKET_MESSAGE type",
                "type is not accepted from drivers; expected location, location_update, location_batch, trip_status, "
                    + "ping or pong"
            ),
            (
                #"{"type":"trip"}"#, "UNKNOWN_TYPE type",
                "type is not accepted from drivers; expected location, location_update, location_batch, trip_status, "
                    + "ping or pong"
            ),
            (
                #"{"type":"trip_status","payload":{"tripId":"t","status":"flying"}}"#, "UNKNOWN_STATE status",
                #"status "flying" is not accepted; expected REQUESTED, ACCEPTED, ARRIVED, IN_PROGRESS, COMPLETED or "#
                    + "CANCELLED"
            ),
        ])
    func refused(message: String, refusal: String, text: String) {
        let read = reader.read(message)
        #expect(read.refusal == refusal)
        #expect(read.fault?.text == text)
    }

    @Test("a message is rejected if the token's driver id is invalid or empty", arguments: HostileText.all + [""])
    func hostileDriver(driver: String) {
        let read = reader.read(DeviceMessages.rideshare, driver: driver)
        #expect(read.fault?.reason == (driver.isEmpty ? .missingKey : .invalidKey))
        #expect(read.fault?.text.contains("1 to 128 letters") == true)
    }

    @Test(
        "ping and pong are recognised by the last top-level type, in upper or lower case",
        arguments: [
            (#"{"type":"ping"}"#, "ping"), (#"{"timestamp":1,"messageId":"m","type":"PING","payload":{}}"#, "ping"),
            (#"{"payload":{"type":"error"},"type":"ping"}"#, "ping"),
            (#"{"type":"ping","payload":{"type":"error"}}"#, "ping"), (#"{"type":"pong"}"#, "pong"),
            (#"{"type":"error","payload":{"type":"ping"}}"#, "refused"), (#"{"type":"error"}"#, "refused"),
            (#"{"type":"error","type":"ping"}"#, "ping"), (#"{"type":"ping","type":"error"}"#, "refused"),
        ])
    func connection(message: String, kind: String) { #expect(reader.read(message).kind == kind) }

    @Test("a trip status is read with the driver of the token")
    func status() {
        let read = reader.read(DeviceMessages.status)
        var expected = TripMessage(
            tripID: "tr_4e5f", driverID: "drv_17", state: .arrived, triggeredBy: "DRIVER",
            changedAt: Timestamp(milliseconds: 1_741_977_135_123))
        expected.isDriverStatus = true
        expected.contextJSON = #"{"arrival_location":{"latitude":1,"longitude":2}}"#
        #expect(read.status == expected)
    }

    @Test("a trip status is read if its type is written with escapes")
    func escapedType() {
        let message = DeviceMessages.status.replacing("trip_status", with: #"trip\u005fstatus"#)
        #expect(reader.read(message).kind == "status")
    }

    @Test("the outline has the topic of a message's record; ping, pong, authenticate and app_state have no topic")
    func targets() {
        func target(_ message: String) -> DriverProducer.Target? {
            ByteSlice.withBytes(of: message) { MessageOutline($0).target }
        }
        for message in [DeviceMessages.rideshare, DeviceMessages.stored, "[]", "", #"{"type":"Authenticate"}"#] {
            #expect(target(message) == .locations, "\(message)")
        }
        #expect(target(DeviceMessages.status) == .trips && target(#"{"type":"TRIP_STATUS"}"#) == .trips)
        for type in ["ping", "PONG", "authenticate", "app_state"] { #expect(target("{\"type\":\"\(type)\"}") == nil) }
    }

    @Test("a device cannot write plans of the trip service")
    func plan() {
        for type in [#""type":"trip_status","type":null"#, #""type":"trip""#, #""kind":"ride""#] {
            let read = reader.read("{\(type),\"trip_id\":\"t\",\"state\":\"ACCEPTED\",\"stops\":[]}")
            #expect(read.kind == "refused", "\(type)")
        }
    }

    @Test(
        "damaged locations are accepted exactly if the worker can read a fix and no fix has another driver's id",
        arguments: [UInt64(61), 62, 63, 64])
    func damaged(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let worker = RawRecordReader()
        let samples = [
            DeviceMessages.rideshare, DeviceMessages.update, DeviceMessages.stored, DeviceMessages.status,
            DeviceMessages.batch([DeviceMessages.fix(1), DeviceMessages.stored, #"{"lat":91}"#]),
            "[\(DeviceMessages.update),\(DeviceMessages.fix(4))]",
        ].map { Array($0.utf8) }
        var kinds: [String: Int] = [:]
        for _ in 0..<4000 {
            var message = samples[Int.random(in: 0..<samples.count, using: &generator)]
            for _ in 0..<Int.random(in: 0...3, using: &generator) { Self.damage(&message, &generator) }
            let kind = message.withUnsafeBytes { bytes in
                expectAgreement(ByteSlice(bytes), worker, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
            }
            kinds[kind, default: 0] += 1
        }
        for kind in ["locations", "status", "refused"] { #expect(kinds[kind, default: 0] > 100, "seed \(seed)") }
    }

    private static func damage(_ message: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !message.isEmpty else { return }
        let index = Int.random(in: 0..<message.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: message.remove(at: index)
        case 1: message.insert(message[index], at: index)
        case 2: message[index] = Array("{}[]:,\"\\ 19-a".utf8).randomElement(using: &generator) ?? 0
        default: message[index] = UInt8.random(in: 0...255, using: &generator)
        }
    }

    /// Expects that the reader and `worker` agree on a message, and returns its kind.
    private func expectAgreement(_ message: ByteSlice, _ worker: RawRecordReader, _ comment: String) -> String {
        let driver = ByteSlice("drv_17")
        let read = reader.read(MessageOutline(message), driver: driver)
        if case .locations(let locations) = read {
            guard case .fixes(let isBatch) = worker.read(key: driver, value: locations.value) else {
                Issue.record("\(comment)")
                return "locations"
            }
            #expect(isBatch == locations.isBatch && worker.fixes.count == locations.fixCount, "\(comment)")
            #expect(worker.unreadableCount == locations.unreadableCount, "\(comment)")
            #expect(locations.unreadable.reduce(0) { $0 + $1.range.count } == locations.unreadableCount, "\(comment)")
            #expect(locations.unreadableCount < locations.fixCount, "\(comment)")
        } else if case .fixes = worker.read(key: driver, value: message) {
            let isForeign = worker.fixes.contains { $0.unreadable == .keyMismatch }
            #expect(worker.unreadableCount == worker.fixes.count || isForeign, "\(comment)")
        }
        return ReadMessage(read).kind
    }
}
