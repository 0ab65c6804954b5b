import Runtime
import Testing

@Suite("Status of a program")
struct WorkerStatusTests {
    @Test("a gateway is ready once its client port is open and it is set ready, in either order")
    func listening() {
        for opensFirst in [true, false] {
            let status = WorkerStatus()
            status.setListening(false)
            if opensFirst { status.setListening(true) } else { status.setReady() }
            #expect(!status.snapshot.isReady && status.snapshot.reason != nil)
            if opensFirst { status.setReady() } else { status.setListening(true) }
            #expect(status.snapshot.isReady && status.snapshot.reason == nil)
        }
    }

    @Test("a program without a client port is ready once it is set ready")
    func worker() {
        let status = WorkerStatus()
        #expect(!status.snapshot.isReady)
        status.setReady()
        #expect(status.snapshot.isReady)
    }
}
