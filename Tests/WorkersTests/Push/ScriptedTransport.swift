import Foundation
import PushWorker
import Synchronization

/// Answers requests as a test says, and remembers them.
final class ScriptedTransport: PushTransport {
    struct NoAnswer: Error {}

    private let answer: @Sendable (PushPost, Int) throws -> PushReply
    private let posts = Mutex<[PushPost]>([])

    /// `answer`: gets the request and how many there were before it.
    init(_ answer: @escaping @Sendable (PushPost, Int) throws -> PushReply) { self.answer = answer }

    var sent: [PushPost] { posts.withLock { $0 } }

    func post(_ post: PushPost) async throws -> PushReply {
        let before = posts.withLock { posts in
            posts.append(post)
            return posts.count - 1
        }
        return try answer(post, before)
    }

    func close() {}
}

extension PushPost {
    var authorization: String? { headers.first { $0.0 == "authorization" }?.1 }
}
