import Foundation

struct PushPost: Sendable {
    let url: String
    let headers: [(String, String)]
    let body: Data
}

/// Transport of requests to push services.
protocol PushTransport: Sendable {
    /// - Throws: if there is no response; a retry may succeed.
    func post(_ post: PushPost) async throws -> PushResponse

    /// Closes the connections; called on a thread that may block, while no request is in flight.
    func close()
}

/// Transport that prints requests as JSON lines and reports them as delivered.
struct DryRunTransport: PushTransport {
    func post(_ post: PushPost) async throws -> PushResponse {
        let headers = Dictionary(post.headers) { $1 }
        let body = try JSONSerialization.jsonObject(with: post.body)
        var line = try JSONSerialization.data(
            withJSONObject: ["url": post.url, "headers": headers, "body": body],
            options: [.sortedKeys, .withoutEscapingSlashes])
        line.append(UInt8(ascii: "\n"))
        FileHandle.standardOutput.write(line)
        return PushResponse(status: 200)
    }

    func close() {}
}
