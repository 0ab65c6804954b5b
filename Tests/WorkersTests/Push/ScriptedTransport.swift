import Foundation
import PushWorker
import Synchronization

/// Returns scripted responses, and records the requests.
final class ScriptedTransport: PushTransport {
    struct NoResponse: Error {}

    private let respond: @Sendable (PushPost, Int) throws -> PushResponse
    private let posts = Mutex<[PushPost]>([])

    /// `respond` receives the request and the number of requests before it.
    init(_ respond: @escaping @Sendable (PushPost, Int) throws -> PushResponse) { self.respond = respond }

    var sent: [PushPost] { posts.withLock { $0 } }

    func post(_ post: PushPost) async throws -> PushResponse {
        let before = posts.withLock { posts in
            posts.append(post)
            return posts.count - 1
        }
        return try respond(post, before)
    }

    func close() {}
}

extension PushPost {
    var authorization: String? { headers.first { $0.0 == "authorization" }?.1 }
}
