import Foundation

/// HTTP request to a push service.
package struct PushPost: Sendable {
    package let url: String
    package let headers: [(String, String)]
    package let body: Data
}

/// Sends requests to push services.
package protocol PushTransport: Sendable {
    /// - Throws: if there is no response; a retry may succeed.
    func post(_ post: PushPost) async throws -> PushResponse

    /// Closes the connections; called on a thread that may block, while no request is in flight.
    func close()
}

/// Writes requests as JSON lines instead of sending them, and reports them as delivered.
package struct DryRunTransport: PushTransport {
    private let output: @Sendable (Data) -> Void

    /// `output` receives each line; standard output by default.
    package init(_ output: @escaping @Sendable (Data) -> Void = { FileHandle.standardOutput.write($0) }) {
        self.output = output
    }

    package func post(_ post: PushPost) async throws -> PushResponse {
        let headers = Dictionary(post.headers) { $1 }
        let body = try JSONSerialization.jsonObject(with: post.body)
        var line = try JSONSerialization.data(
            withJSONObject: ["url": post.url, "headers": headers, "body": body],
            options: [.sortedKeys, .withoutEscapingSlashes])
        line.append(UInt8(ascii: "\n"))
        output(line)
        return PushResponse(status: 200)
    }

    package func close() {}
}
