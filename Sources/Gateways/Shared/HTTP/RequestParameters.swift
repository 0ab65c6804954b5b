import Hummingbird

/// Reads the query parameters of a request.
struct RequestParameters {
    private let request: Request

    init(_ request: Request) { self.request = request }

    /// Returns a number in a range; required unless it has a default.
    /// - Throws: ``RequestError`` with status 400.
    func number(_ name: String, in range: ClosedRange<Double>, default fallback: Double? = nil) throws -> Double {
        guard let text = request.uri.queryParameters[Substring(name)] else {
            if let fallback { return fallback }
            throw Self.refusal(name, "is missing; give a number from \(range.lowerBound) to \(range.upperBound).")
        }
        guard let number = Double(text), range.contains(number) else {
            throw Self.refusal(name, "must be a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// Returns an integer in a range, or its default.
    /// - Throws: ``RequestError`` with status 400.
    func integer(_ name: String, in range: ClosedRange<Int>, default fallback: Int) throws -> Int {
        guard let text = request.uri.queryParameters[Substring(name)] else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw Self.refusal(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// Returns the values of a parameter, which may be repeated and may contain commas.
    func words(_ name: String) -> [String] {
        request.uri.queryParameters.getAll(name).flatMap { $0.split(separator: ",").map(String.init) }
    }

    private static func refusal(_ name: String, _ problem: String) -> RequestError {
        RequestError(.badRequest, .invalidMessage, "\(name) \(problem)")
    }
}
