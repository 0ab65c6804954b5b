import HTTPTypes
import Testing

@testable import Gateways

@Suite("Bodies of requests")
struct RequestBodyTests {
    private static func isPlain(_ encodings: [String]) -> Bool {
        var headers = HTTPFields()
        for encoding in encodings { headers.append(HTTPField(name: .contentEncoding, value: encoding)) }
        return RequestBody.isPlain(headers)
    }

    @Test("are accepted as they are", arguments: [[], ["identity"], ["Identity , identity"], [""]])
    func plain(encodings: [String]) { #expect(Self.isPlain(encodings)) }

    @Test(
        "are not accepted with any other coding",
        arguments: [["gzip"], ["GZIP"], ["x-gzip"], ["deflate"], ["br"], ["identity, gzip"], ["identity", "zstd"]])
    func compressed(encodings: [String]) { #expect(!Self.isPlain(encodings)) }
}
