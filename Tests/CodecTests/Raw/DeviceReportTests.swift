import Testing

@testable import Codec

@Suite("Device properties of raw records")
struct DeviceReportTests {
    private let reader = RawRecordReader()

    private func report(_ members: String) -> DeviceReport? { reader.single(RawSamples.good(members))?.report }

    @Test("properties in the format of the rideshare app are read")
    func rideshare() throws {
        let raw = try #require(
            reader.single(
                RawSamples.good(
                    """
                    "altitude_meters":512.25,"altitude_accuracy_meters":3.5,"heading_accuracy_degrees":12.5,\
                    "speed_accuracy_mps":0.25,"is_mock":false,"is_charging":true,"network_type":"5g",\
                    "motion_activity":"automotive","battery_percent":61,"source":"gps","integrity":"PASSED"
                    """)))
        var expected = DeviceReport()
        expected.altitudeAccuracyMeters = 3.5
        expected.headingAccuracyDegrees = 12.5
        expected.speedAccuracyMetersPerSecond = 0.25
        expected.isMock = false
        expected.isCharging = true
        expected.networkType = .fifthGeneration
        expected.motionActivity = .automotive
        #expect(raw.report == expected)
        #expect(raw.batteryPercent == 61 && raw.fix.source == .gps && raw.fix.integrity == .passed)
        #expect(raw.fix.altitudeMeters == 512.25)
    }

    @Test("properties in the format of the mobile app are read from the objects accuracy and metadata")
    func mobile() throws {
        let raw = try #require(reader.single(RawSamples.mobile))
        var expected = DeviceReport()
        expected.altitudeAccuracyMeters = 8.1
        expected.headingAccuracyDegrees = 2
        expected.speedAccuracyMetersPerSecond = 0.5
        expected.isCharging = false
        expected.networkType = .fourthGeneration
        expected.motionActivity = .automotive
        #expect(raw.report == expected)
        #expect(raw.batteryPercent == 72)
    }

    @Test("missing and null properties are unknown", arguments: [true, false])
    func nothing(isNull: Bool) {
        let members = [
            "altitude_accuracy_meters", "heading_accuracy_degrees", "speed_accuracy_mps", "is_mock", "is_charging",
            "network_type", "motion_activity",
        ]
        let text = isNull ? members.map { "\"\($0)\":null" }.joined(separator: ",") : ""
        #expect(report(text) == DeviceReport())
    }

    @Test(
        "network types of iOS and Android are read in upper, lower or mixed case",
        arguments: [
            ("wifi", NetworkType.wifi), ("WIFI", .wifi), ("Wi-Fi", .wifi), ("cellular", .cellular),
            ("MOBILE", .cellular),
            ("2g", .secondGeneration), ("EDGE", .secondGeneration), ("GPRS", .secondGeneration),
            ("3G", .thirdGeneration), ("umts", .thirdGeneration), ("hspa", .thirdGeneration), ("4g", .fourthGeneration),
            ("LTE", .fourthGeneration), ("5G", .fifthGeneration), ("nr", .fifthGeneration), ("ethernet", .ethernet),
            ("none", .notConnected), ("OFFLINE", .notConnected),
        ])
    func networks(word: String, type: NetworkType) {
        #expect(report("\"network_type\":\"\(word)\"")?.networkType == type)
        #expect(report("\"metadata\":{\"networkType\":\"\(word)\"}")?.networkType == type)
    }

    @Test(
        "motion activities of iOS and Android are read in upper, lower or mixed case",
        arguments: [
            ("stationary", MotionActivity.stationary), ("STILL", .stationary), ("walking", .walking),
            ("ON_FOOT", .walking), ("Running", .running), ("cycling", .cycling), ("ON_BICYCLE", .cycling),
            ("automotive", .automotive), ("IN_VEHICLE", .automotive), ("inVehicle", .automotive),
            ("driving", .automotive),
        ])
    func motions(word: String, activity: MotionActivity) {
        #expect(report("\"motion_activity\":\"\(word)\"")?.motionActivity == activity)
        #expect(report("\"metadata\":{\"motionActivity\":\"\(word)\"}")?.motionActivity == activity)
    }

    @Test(
        "properties with an unknown word, another type or out of range are unknown, and the fix is read",
        arguments: [
            "\"network_type\":\"carrier pigeon\"", "\"network_type\":\"unknown\"", "\"network_type\":7",
            "\"network_type\":{\"a\":[1]}", "\"network_type\":\"\"", "\"motion_activity\":\"a word of more than 16\"",
            "\"motion_activity\":[\"walking\"]", "\"is_charging\":\"yes\"", "\"is_charging\":1",
            "\"altitude_accuracy_meters\":-1", "\"altitude_accuracy_meters\":100000001",
            "\"heading_accuracy_degrees\":360.5", "\"speed_accuracy_mps\":\"0.5\"", "\"speed_accuracy_mps\":true",
            "\"accuracy\":{\"vertical\":-1,\"headingAccuracy\":[],\"speedAccuracy\":{}}",
            "\"metadata\":{\"networkType\":null,\"isCharging\":0.5,\"motionActivity\":false}",
        ])
    func unknown(members: String) {
        #expect(report(members) == DeviceReport())
    }

    @Test("accuracies at the limits of their ranges are read")
    func ranges() {
        #expect(report("\"altitude_accuracy_meters\":0")?.altitudeAccuracyMeters == 0)
        #expect(report("\"altitude_accuracy_meters\":100000000")?.altitudeAccuracyMeters == 1e8)
        #expect(report("\"heading_accuracy_degrees\":360")?.headingAccuracyDegrees == 360)
        #expect(report("\"speed_accuracy_mps\":-0.0")?.speedAccuracyMetersPerSecond?.sign == .plus)
    }

    @Test("invalid JSON in a property is refused; the fault for NaN names the property")
    func notJSON() {
        #expect(reader.read(RawSamples.good("\"network_type\":wifi")).reason == .malformedJSON)
        let result = reader.read(RawSamples.good("\"speed_accuracy_mps\":NaN"))
        #expect(result.reason == .notFinite && result.detail == "speed_accuracy_mps")
    }

    @Test("device properties do not change the content hash")
    func contentHash() throws {
        let plain = try #require(reader.single(RawSamples.good())).fix.contentHash
        let extended = try #require(reader.single(RawSamples.good("\"network_type\":\"5g\",\"is_charging\":true"))).fix
        #expect(extended.contentHash == plain)
    }
}
