import Kafka

/// Current batch of a sink's worker, and the next one, which is polled while the store writes; used on one thread.
final class SinkIntake {
    private(set) var batch: KafkaBatch
    private var next: KafkaBatch
    /// Times at which the first records of ``batch`` and ``next`` were polled.
    private var batchBegan = ContinuousClock.now
    private var nextBegan = ContinuousClock.now
    private let settings: SinkWorkerSettings

    init(_ consumer: KafkaConsumer, _ settings: SinkWorkerSettings) {
        self.settings = settings
        batch = consumer.makeBatch(capacity: settings.maximumBatchRecords)
        next = consumer.makeBatch(capacity: settings.maximumBatchRecords)
    }

    /// Polls until the batch has enough records or the linger time of its first record is over.
    ///
    /// A poll returns all fetched records, so that with a backlog a batch contains everything fetched during a write.
    func collect(_ consumer: KafkaConsumer, _ control: WorkerControl) throws {
        let isFresh = batch.isEmpty
        try consumer.poll(into: batch, waitMilliseconds: isFresh ? settings.pollWaitMilliseconds : 0)
        if isFresh { batchBegan = .now }
        guard !batch.isEmpty else { return }
        let deadline = batchBegan + .milliseconds(settings.maximumLingerMilliseconds)
        while batch.count < settings.minimumRecordsWithoutWait, ContinuousClock.now < deadline,
            !consumer.hasRebalance(), control.isRunning
        {
            let before = batch.count
            try consumer.poll(into: batch, waitMilliseconds: 0)
            // Avoids waking up for every single record.
            if batch.count == before { WorkerThread.sleep(milliseconds: 3) }
        }
    }

    /// Adds fetched records to the next batch, without waiting.
    func pollAhead(_ consumer: KafkaConsumer) {
        if next.isEmpty { nextBegan = .now }
        // A poll only throws the client's fatal error, and the next poll throws it again.
        try? consumer.poll(into: next, waitMilliseconds: 0)
    }

    /// Discards the current batch and makes the next one current.
    func advance() {
        batch.removeAll()
        swap(&batch, &next)
        swap(&batchBegan, &nextBegan)
    }

    /// Discards both batches; required before the client is closed.
    func removeAll() {
        batch.removeAll()
        next.removeAll()
    }
}
