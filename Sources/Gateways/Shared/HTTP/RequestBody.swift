import HTTPTypes
import Hummingbird
import NIOCore

/// Reads request bodies and rejects compressed ones.
enum RequestBody {
    /// Reads a body of up to `limit` bytes; `tooLarge` is the error message for a larger one.
    ///
    /// - Throws: ``RequestError`` with status 413 or 415.
    static func read(_ request: Request, atMost limit: Int, tooLarge: String) async throws -> ByteBuffer {
        guard isPlain(request.headers) else {
            throw RequestError(
                .unsupportedMediaType, .unsupportedEncoding,
                "Compressed bodies are not accepted; send the body without Content-Encoding.")
        }
        let error = RequestError(.contentTooLarge, .tooLarge, tooLarge)
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit { throw error }
        do { return try await request.body.collect(upTo: limit) } catch is NIOTooManyBytesError { throw error }
    }

    /// Whether the headers announce no `Content-Encoding` other than `identity`.
    static func isPlain(_ headers: HTTPFields) -> Bool {
        headers[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .allSatisfy { $0.filter { $0 != " " && $0 != "\t" }.lowercased() == "identity" }
    }
}
