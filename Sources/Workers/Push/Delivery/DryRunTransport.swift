import Foundation

/// Writes requests as lines of JSON in place of sending them, and takes them for delivered.
package struct DryRunTransport: PushTransport {
    private let output: @Sendable (Data) -> Void

    /// `output`: gets each line; standard output unless it is given.
    package init(_ output: @escaping @Sendable (Data) -> Void = { FileHandle.standardOutput.write($0) }) {
        self.output = output
    }

    package func post(_ post: PushPost) async throws -> PushReply {
        let headers = Dictionary(post.headers) { $1 }
        let body = try JSONSerialization.jsonObject(with: post.body)
        var line = try JSONSerialization.data(
            withJSONObject: ["url": post.url, "headers": headers, "body": body],
            options: [.sortedKeys, .withoutEscapingSlashes])
        line.append(UInt8(ascii: "\n"))
        output(line)
        return PushReply(status: 200)
    }

    package func close() {}
}
