import NIOCore

/// Notifies a stream's session, on its event loop, when its response body needs data or ends.
final class StreamBodyDelegate: NIOAsyncSequenceProducerDelegate {
    private let loop: any EventLoop
    private let session: NIOLoopBoundBox<StreamSession?>

    /// Must be called on `loop`.
    init(_ loop: any EventLoop) {
        self.loop = loop
        session = NIOLoopBoundBox(nil, eventLoop: loop)
    }

    /// Sets the session to notify; must be called on the event loop, before the first write.
    func attach(_ session: StreamSession) { self.session.value = session }

    func produceMore() {
        loop.execute { self.session.value?.bodyNeedsMore() }
    }

    func didTerminate() {
        loop.execute {
            self.session.value?.disconnected()
            self.session.value = nil
        }
    }
}
