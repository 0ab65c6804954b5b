import CCurl
import Dispatch
import Runtime
import Synchronization

/// HTTP/2 client that sends requests concurrently over one TLS connection per service.
///
/// One thread runs all transfers of libcurl's multi interface: https://curl.se/libcurl/c/libcurl-multi.html
final class HTTPTransport: PushTransport {
    private typealias Waiting = (post: PushPost, completion: CheckedContinuation<PushResponse, any Error>)

    private struct State {
        /// Requests that the thread has not started.
        var waiting: [Waiting] = []
        var isClosed = false
    }

    /// Maximum wait of the thread; a response or a new request ends the wait.
    private static let pollMilliseconds: Int32 = 10_000
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let state = Mutex(State())
    /// The thread's `CURLM`; until ``State/isClosed``, other threads use it to wake the thread.
    private nonisolated(unsafe) let transfers: UnsafeMutableRawPointer
    private let ended = DispatchSemaphore(value: 0)

    /// `authorityFile`: trusted certificate authorities (PEM); `nil` uses the system's.
    init(authorityFile: String?) {
        guard Self.isReady, let transfers = curl_multi_init() else {
            preconditionFailure("libcurl could not allocate memory.")
        }
        self.transfers = transfers
        WorkerThread.start { self.run(authorityFile: authorityFile) }
    }

    func post(_ post: PushPost) async throws -> PushResponse {
        try await withCheckedThrowingContinuation { completion in
            let isAccepted = state.withLock { state in
                guard !state.isClosed else { return false }
                state.waiting.append((post, completion))
                curl_multi_wakeup(transfers)
                return true
            }
            if !isAccepted { completion.resume(throwing: HTTPTransfer.Failure(description: "the client is closed")) }
        }
    }

    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            if !state.isClosed { curl_multi_wakeup(transfers) }
            return !state.isClosed
        }
        if isFirst { ended.wait() }
    }

    // MARK: The thread

    private func run(authorityFile: String?) {
        var running: [UnsafeMutableRawPointer: HTTPTransfer] = [:]
        while let posts = waitingPosts() {
            for (post, completion) in posts { start(post, authorityFile, completion, &running) }
            var count: Int32 = 0
            curl_multi_perform(transfers, &count)
            finish(&running)
            curl_multi_poll(transfers, nil, 0, Self.pollMilliseconds, nil)
        }
        for transfer in running.values {
            curl_multi_remove_handle(transfers, transfer.handle)
            transfer.fail("the client is closed")
        }
        running.removeAll()
        curl_multi_cleanup(transfers)
        ended.signal()
    }

    /// Removes and returns the new requests; `nil` after ``close()``.
    private func waitingPosts() -> [Waiting]? {
        state.withLock { state in
            if state.isClosed, state.waiting.isEmpty { return nil }
            defer { state.waiting.removeAll(keepingCapacity: true) }
            return state.waiting
        }
    }

    private func start(
        _ post: PushPost, _ authorityFile: String?, _ completion: CheckedContinuation<PushResponse, any Error>,
        _ running: inout [UnsafeMutableRawPointer: HTTPTransfer]
    ) {
        guard let transfer = HTTPTransfer(post, authorityFile: authorityFile, completion) else {
            return completion.resume(throwing: HTTPTransfer.Failure(description: "libcurl could not allocate memory"))
        }
        running[transfer.handle] = transfer
        curl_multi_add_handle(transfers, transfer.handle)
    }

    private func finish(_ running: inout [UnsafeMutableRawPointer: HTTPTransfer]) {
        var count: Int32 = 0
        while let message = curl_multi_info_read(transfers, &count) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let transfer = running.removeValue(forKey: handle)
            else { continue }
            let result = message.pointee.data.result
            curl_multi_remove_handle(transfers, handle)
            transfer.finish(result)
        }
    }
}
