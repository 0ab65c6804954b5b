import HTTPTypes
import Hummingbird
import NIOCore

/// Query parameters.
extension Request {
    /// Returns a number in a range; the parameter is required if it has no default.
    /// - Throws: ``RequestError`` with status 400.
    func number(_ name: String, in range: ClosedRange<Double>, default fallback: Double? = nil) throws -> Double {
        guard let text = uri.queryParameters[Substring(name)] else {
            if let fallback { return fallback }
            throw Self.refusal(name, "is missing; give a number from \(range.lowerBound) to \(range.upperBound).")
        }
        guard let number = Double(text), range.contains(number) else {
            throw Self.refusal(name, "must be a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// Returns an integer in a range; the default if the parameter is absent.
    /// - Throws: ``RequestError`` with status 400.
    func integer(_ name: String, in range: ClosedRange<Int>, default fallback: Int) throws -> Int {
        guard let text = uri.queryParameters[Substring(name)] else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw Self.refusal(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// Returns the values of a parameter, which may be repeated or list several values with commas.
    func words(_ name: String) -> [String] {
        uri.queryParameters.getAll(name).flatMap { $0.split(separator: ",").map(String.init) }
    }

    private static func refusal(_ name: String, _ problem: String) -> RequestError {
        RequestError(.badRequest, .invalidMessage, "\(name) \(problem)")
    }
}

/// Reader of uncompressed request bodies.
enum RequestBody {
    /// Reads a body of up to `limit` bytes; `tooLarge` is the error message for a larger one.
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

    /// Returns whether the body is uncompressed: `Content-Encoding` is absent or `identity`.
    static func isPlain(_ headers: HTTPFields) -> Bool {
        headers[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .allSatisfy { $0.filter { $0 != " " && $0 != "\t" }.lowercased() == "identity" }
    }
}
