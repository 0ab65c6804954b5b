import NIOCore

/// Tells a stream's session, on its event loop, what the task does that sends the answer.
final class StreamDemand: NIOAsyncSequenceProducerDelegate {
    private let loop: any EventLoop
    private let session: NIOLoopBoundBox<StreamSession?>

    /// To be called on `loop`.
    init(_ loop: any EventLoop) {
        self.loop = loop
        session = NIOLoopBoundBox(nil, eventLoop: loop)
    }

    /// To be called on the event loop, before anything is written.
    func begin(_ session: StreamSession) { self.session.value = session }

    func produceMore() {
        loop.execute { self.session.value?.answerTakesMore() }
    }

    func didTerminate() {
        loop.execute {
            self.session.value?.disconnected()
            self.session.value = nil
        }
    }
}
