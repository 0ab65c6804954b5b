import Kafka

/// What a sink's worker has polled: the batch at hand, and behind it the next, polled while the store works.
///
/// Belongs to one thread.
final class SinkIntake {
    /// The records to be written now.
    private(set) var batch: KafkaBatch
    private var next: KafkaBatch
    /// When the first record of ``batch``, or of the next one, was polled.
    private var batchBegan = ContinuousClock.now
    private var nextBegan = ContinuousClock.now
    private let settings: SinkWorkerSettings

    init(_ consumer: KafkaConsumer, _ settings: SinkWorkerSettings) {
        self.settings = settings
        batch = consumer.makeBatch(capacity: settings.maximumBatchRecords)
        next = consumer.makeBatch(capacity: settings.maximumBatchRecords)
    }

    /// Polls until the batch is full enough, or its first record has waited long enough.
    ///
    /// What waits in the consumer is taken at once, so that the batches of a backlog are as large as what is fetched
    /// while the store works.
    func collect(_ consumer: KafkaConsumer, _ control: WorkerControl) throws {
        let isFresh = batch.isEmpty
        try consumer.poll(into: batch, waitMilliseconds: isFresh ? settings.pollWaitMilliseconds : 0)
        if isFresh { batchBegan = .now }
        guard !batch.isEmpty else { return }
        let deadline = batchBegan + .milliseconds(settings.maximumLingerMilliseconds)
        while batch.count < settings.fullEnoughRecords, ContinuousClock.now < deadline, !consumer.hasRebalance(),
            control.isRunning
        {
            let before = batch.count
            try consumer.poll(into: batch, waitMilliseconds: 0)
            // Waking for every single record would cost more than the few milliseconds are worth.
            if batch.count == before { WorkerThread.sleep(milliseconds: 3) }
        }
    }

    /// Adds what has been fetched to the next batch, without waiting.
    func pollAhead(_ consumer: KafkaConsumer) {
        if next.isEmpty { nextBegan = .now }
        // The only error is the client's fatal one, which every later poll throws again.
        try? consumer.poll(into: next, waitMilliseconds: 0)
    }

    /// Gives back the batch at hand and goes on to the next.
    func turn() {
        batch.removeAll()
        swap(&batch, &next)
        swap(&batchBegan, &nextBegan)
    }

    /// Gives everything back to the client, which comes before closing that.
    func removeAll() {
        batch.removeAll()
        next.removeAll()
    }
}
