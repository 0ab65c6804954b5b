import Codec
@testable import PushWorker
import Testing

@Suite("Registered devices")
struct PushDeviceTests {
    @Test("a field is parsed to the same device, and malformed fields are not parsed")
    func field() throws {
        for device in [
            PushDevice(platform: .apns, token: "00fa", language: "de"),
            PushDevice(platform: .fcm, token: "c:A-_9", language: "pt-BR"),
        ] {
            let device = try #require(device)
            #expect(PushDevice(field: device.field, language: device.language) == device)
        }
        for field in ["", "apns", "apns:", "wns:00", "apns:zz"] {
            #expect(PushDevice(field: field, language: "de") == nil)
        }
        #expect(PushDevice.key(prefix: "p:", trip: "T1") == "p:devices:T1")
    }

    @Test("a token is invalid if its length or a character is not one that its service uses")
    func tokens() {
        #expect(PushDevice.isToken(String(repeating: "a", count: 512), of: .apns))
        #expect(!PushDevice.isToken(String(repeating: "a", count: 513), of: .apns))
        #expect(!PushDevice.isToken("", of: .fcm))
        #expect(!PushDevice.isToken("../x", of: .apns))
        #expect(!PushDevice.isToken("a/b", of: .fcm))
        #expect(!PushDevice.isToken("a b", of: .fcm))
    }

    @Test(
        "a language is a tag of up to 35 characters",
        arguments: [
            ("de", true), ("zh-Hant-TW", true), ("d", false), ("de-", false), ("de_AT", false), ("", false),
            ("ü1", false),
        ])
    func languages(tag: String, isValid: Bool) {
        #expect(PushDevice.isLanguage(tag) == isValid)
        #expect(PushDevice.isLanguage(String(repeating: "a", count: 35)))
        #expect(!PushDevice.isLanguage(String(repeating: "a", count: 36)))
    }
}
