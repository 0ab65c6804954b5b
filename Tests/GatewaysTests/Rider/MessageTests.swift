import Foundation
import NIOCore
import Testing

@testable import Gateways

@Suite("Messages from and to clients")
struct MessageTests {
    private static func read(_ text: String) -> ClientMessage? { ClientMessage.read(ByteBuffer(string: text)) }

    @Test("a subscription has a channel, and a cursor of no, one or several events")
    func subscription() throws {
        let one = try #require(
            Self.read(#"{"type":"subscribe","channel":"trip:a","last_event_id":"3-5","message_id":7}"#))
        #expect(one.channel == "trip:a" && one.cursor?.texts == ["3-5"])
        let several = try #require(
            Self.read(#"{"type":"subscribe","channel":"route:1","last_event_id":["5-1","3-5","t3-9"]}"#))
        #expect(several.cursor?.texts == ["3-5", "t3-9", "5-1"])
        let withoutCursor = try #require(Self.read(#"{"type":"subscribe","channel":"trip:a"}"#))
        #expect(withoutCursor.cursor?.isEmpty == true)
    }

    @Test("an invalid event id makes the cursor nil, not empty", arguments: ["\"x\"", "[\"3-5\",\"x\"]", "\"\""])
    func badCursor(json: String) throws {
        let message = try #require(Self.read(#"{"type":"subscribe","channel":"trip:a","last_event_id":\#(json)}"#))
        #expect(message.cursor == nil)
    }

    @Test("an acknowledgement has one or several event ids, and a subscription may enable acknowledgements")
    func acknowledgement() throws {
        let one = try #require(Self.read(#"{"type":"ack","channel":"trip:a","event_id":"3-5"}"#))
        #expect(one.event?.cursor?.texts == ["3-5"] && one.lastEvent == nil)
        let several = try #require(Self.read(#"{"type":"ack","channel":"trip:a","event_id":["t3-9","3-5"]}"#))
        #expect(several.event?.cursor?.texts == ["3-5", "t3-9"])
        #expect(Self.read(#"{"type":"subscribe","channel":"trip:a","acknowledge":true}"#)?.acknowledge == true)
        #expect(Self.read(#"{"type":"subscribe","channel":"trip:a"}"#)?.acknowledge == nil)
        #expect(Self.read(#"{"type":"subscribe","channel":"trip:a","acknowledge":"yes"}"#) == nil)
    }

    @Test(
        "text that is not an object with a valid type and message id yields nil",
        arguments: ["", "[]", "1", "{}", #"{"type":1}"#, "{\"type\":\"ping\"", #"{"type":"ping","message_id":[]}"#])
    func noMessage(text: String) {
        #expect(Self.read(text) == nil)
    }

    @Test("a frame's header encodes its length in 7, 16 or 64 bits", arguments: [0, 125, 126, 65_535, 65_536])
    func frames(count: Int) {
        var frame = WebSocketText.frame(ByteBuffer(repeating: 0x61, count: count))
        #expect(frame.readInteger(as: UInt8.self) == 0x81)
        let length = frame.readInteger(as: UInt8.self).map(Int.init)
        switch count {
        case ...125: #expect(length == count)
        case ...65_535: #expect(length == 126 && frame.readInteger(as: UInt16.self).map(Int.init) == count)
        default: #expect(length == 127 && frame.readInteger(as: UInt64.self).map(Int.init) == count)
        }
        #expect(frame.readableBytes == count)
    }

    @Test("a message is valid JSON whatever its strings contain")
    func writing() throws {
        var inner = MessageWriter()
        inner.texts("list", ["a\"b", "c\\d\n"])
        inner.json("none", [UInt8]?.none)
        var writer = MessageWriter(type: "x")
        writer.text("text", "\u{1}\u{2028}é")
        writer.number("number", -5)
        writer.flag("flag", true)
        writer.json("json", Array(#"{"a":[1]}"#.utf8))
        writer.object("inner", inner)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(writer.finished.utf8)) as? [String: Any])
        #expect(object["text"] as? String == "\u{1}\u{2028}é")
        #expect(object["number"] as? Int == -5 && object["flag"] as? Bool == true)
        let inside = try #require(object["inner"] as? [String: Any])
        #expect(inside["list"] as? [String] == ["a\"b", "c\\d\n"] && inside["none"] is NSNull)
    }
}
