/// Messages of devices, without a driver id.
enum DeviceMessages {
    static let rideshare = """
        {"type":"location","session_id":"s1","sequence":1847,"payload":{"latitude":37.7751,"longitude":-122.4183,\
        "accuracy_meters":5.2,"heading":45.0,"speed_mps":12.5,"altitude_meters":15.0,\
        "timestamp":"2025-03-14T18:32:15.123Z","battery_percent":72,"is_charging":false}}
        """

    /// Message of the iOS app.
    static let update = """
        {"type":"location_update","payload":{"tripId":"tr_4e5f","latitude":37.7751,"longitude":-122.4183,"heading":45,\
        "speed":9.5,"accuracy":5.2,"timestamp":763669935.123},"timestamp":763669999.5,\
        "messageId":"4A9B1F0E-5C38-44A5-8B43-0C1D1F0E9A11"}
        """

    /// Location as the Android app stores it.
    static let stored = """
        {"id":"7b0c1c9e-0ff1-4c3a-9c39-6c1d5d1f6c11","coordinate":{"latitude":37.7751,"longitude":-122.4183,\
        "altitude":15.0,"heading":45.0,"speed":8.5},"accuracy":{"horizontal":5.2,"vertical":8.1,"confidence":"HIGH"},\
        "timestamp":1741977135123,"source":"CACHED","metadata":{"batteryLevel":0.18,"isCharging":true}}
        """

    static let status = """
        {"type":"trip_status","payload":{"tripId":"tr_4e5f","status":"arrived_pickup","timestamp":1741977135123,\
        "location":{"latitude":1,"longitude":2}},"messageId":"m1"}
        """

    /// Returns a fix with a sequence and additional members.
    static func fix(_ sequence: Int, _ extra: String = "") -> String {
        "{\"lat\":1,\"lng\":2,\"sequence\":\(sequence)\(extra.isEmpty ? "" : ",\(extra)")}"
    }

    static func batch(_ elements: [String], _ members: String = "\"session_id\":\"s9\"") -> String {
        "{\"type\":\"location_batch\",\(members),\"locations\":[" + elements.joined(separator: ",") + "]}"
    }
}
