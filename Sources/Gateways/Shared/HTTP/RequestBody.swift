import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the bodies of requests, which must not be compressed.
enum RequestBody {
    /// Reads a body of at most `limit` bytes; `tooLarge` is the message of the error for a larger one.
    ///
    /// - Throws: ``RequestError`` with the status 413 or 415.
    static func read(_ request: Request, atMost limit: Int, tooLarge: String) async throws -> ByteBuffer {
        guard isPlain(request.headers) else {
            throw RequestError(
                .unsupportedMediaType, .unsupportedEncoding,
                "The body has a Content-Encoding, and compressed bodies are not accepted; send it as it is.")
        }
        let error = RequestError(.contentTooLarge, .tooLarge, tooLarge)
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit { throw error }
        do { return try await request.body.collect(upTo: limit) } catch is NIOTooManyBytesError { throw error }
    }

    /// Whether a body with these headers is as it was before it was sent.
    static func isPlain(_ headers: HTTPFields) -> Bool {
        headers[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .allSatisfy { $0.filter { $0 != " " && $0 != "\t" }.lowercased() == "identity" }
    }
}
