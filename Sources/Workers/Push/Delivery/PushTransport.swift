import Foundation

/// One request to a service.
package struct PushPost: Sendable {
    package let url: String
    package let headers: [(String, String)]
    package let body: Data
}

/// What a service answered.
package struct PushReply: Sendable {
    package var status: Int
    package var retryAfter: String?
    package var body: Data

    package init(status: Int, retryAfter: String? = nil, body: Data = Data()) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}

/// Carries requests to services.
package protocol PushTransport: Sendable {
    /// - Throws: when there is no answer; trying again may help.
    func post(_ post: PushPost) async throws -> PushReply

    /// Ends the connections; called by a thread that may block, when no request is under way.
    func close()
}
