import HTTPTypes
import Testing

@testable import Gateways

@Suite("Request bodies")
struct RequestBodyTests {
    private static func isPlain(_ encodings: [String]) -> Bool {
        var headers = HTTPFields()
        for encoding in encodings { headers.append(HTTPField(name: .contentEncoding, value: encoding)) }
        return RequestBody.isPlain(headers)
    }

    @Test("uncompressed bodies are accepted", arguments: [[], ["identity"], ["Identity , identity"], [""]])
    func plain(encodings: [String]) { #expect(Self.isPlain(encodings)) }

    @Test(
        "bodies with another content coding are rejected",
        arguments: [["gzip"], ["GZIP"], ["x-gzip"], ["deflate"], ["br"], ["identity, gzip"], ["identity", "zstd"]])
    func compressed(encodings: [String]) { #expect(!Self.isPlain(encodings)) }
}
