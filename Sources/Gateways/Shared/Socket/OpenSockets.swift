import NIOCore
import Synchronization

/// Counter of open WebSockets, so that a shutdown can wait for them to close.
final class OpenSockets: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func count(_ channel: any Channel) {
        state.withLock { $0.count += 1 }
        channel.closeFuture.whenComplete { [self] _ in
            let waiting = state.withLock { state in
                state.count -= 1
                guard state.count == 0 else { return [] as [CheckedContinuation<Void, Never>] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    func allClosed() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isEmpty { continuation.resume() }
        }
    }
}
