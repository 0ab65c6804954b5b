import Testing

@testable import Gateways
@testable import Support

@Suite("Message ids of devices")
struct MessageIDTests {
    private static func id(_ message: String) -> String? {
        ByteSlice.withBytes(of: message) { MessageOutline($0).messageID?.string }
    }

    @Test(
        "the top-level id is read at any position, as text or number",
        arguments: [
            (DeviceMessages.update, "\"4A9B1F0E-5C38-44A5-8B43-0C1D1F0E9A11\""), (DeviceMessages.status, "\"m1\""),
            (#"{"message_id":17}"#, "17"), (#"{ "message_id" : 0 , "type" : "ping" }"#, "0"),
            (#"{"payload":{"messageId":"inner"},"x":[{"messageId":1},"]"],"messageId":"outer"}"#, #""outer""#),
            (#"{"messageId":"outer","payload":{"messageId":"inner"}}"#, #""outer""#),
            (#"{"messageId":"a","messageId":"b"}"#, #""b""#), (#"{"messageId":"a","message_id":null}"#, #""a""#),
            (#"{"a":"\"}","b":"\\","messageId":"c"}"#, #""c""#),
            ("{\"a\":1.5e3,\"b\":true\n,\"messageId\":\n9}", "9"),
        ])
    func validIDs(message: String, expected: String) { #expect(Self.id(message) == expected) }

    @Test(
        "an invalid id is ignored",
        arguments: [
            "", "{}", "[]", #"[{"messageId":"a"}]"#, #"{"messageId":null}"#, #"{"messageId":{"a":1}}"#,
            #"{"messageId":[1]}"#, #"{"messageId":""}"#, #"{"messageId":"a b"}"#, #"{"messageId":"a\"b"}"#,
            #"{"messageId":-1}"#, #"{"messageId":1.5}"#, #"{"messageId":007}"#, #"{"messageId":true}"#,
            #"{"payload":{"messageId":"a"}}"#, #"{"messageId""#, #"{"messageId":"#, #"{"messageId":"a"#, #"{"":}"#,
        ])
    func invalidIDs(message: String) { #expect(Self.id(message) == nil) }

    @Test("an id has up to 128 characters or 19 digits")
    func lengths() {
        for (count, isAccepted) in [(127, true), (128, true), (129, false)] {
            let text = String(repeating: "a", count: count)
            #expect((Self.id("{\"messageId\":\"\(text)\"}") != nil) == isAccepted, "\(count)")
        }
        for (count, isAccepted) in [(18, true), (19, true), (20, false)] {
            let number = String(repeating: "9", count: count)
            #expect((Self.id("{\"messageId\":\(number)}") != nil) == isAccepted, "\(count)")
        }
    }

    @Test("a truncated message yields its complete id or no id")
    func prefixes() {
        let bytes = Array(DeviceMessages.update.utf8)
        for count in 0...bytes.count {
            let id = bytes[..<count].withUnsafeBytes { MessageOutline(ByteSlice($0)).messageID?.string }
            #expect(id == nil || id == "\"4A9B1F0E-5C38-44A5-8B43-0C1D1F0E9A11\"", "cut to \(count) bytes")
        }
    }
}
