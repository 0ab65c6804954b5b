import Kafka

extension Settings {
    package var kafkaConfiguration: KafkaConfiguration {
        KafkaConfiguration(
            bootstrapServers: kafka.bootstrapServers, clientID: kafka.clientID, properties: kafka.revealedProperties,
            variables: kafka.propertyVariables,
            idleFetchPauseMilliseconds: kafka.idleFetchPauseMilliseconds, advice: kafka.advice())
    }

    package var topicNames: TopicNames { TopicNames(prefix: kafka.topicPrefix) }

    package var processorWorker: ProcessorWorkerSettings {
        var result = ProcessorWorkerSettings()
        result.maximumBatchRecords = worker.batchRecords
        result.pollWaitMilliseconds = Int(worker.pollWait.wholeMilliseconds)
        result.lingerMilliseconds = kafka.lingerMilliseconds
        result.sessionTimeoutMilliseconds = kafka.sessionTimeoutMilliseconds
        result.maximumPollIntervalMilliseconds = kafka.maximumPollIntervalMilliseconds
        result.drainDeadline = worker.drainTimeout
        return result
    }

    package var sinkWorker: SinkWorkerSettings {
        var result = SinkWorkerSettings()
        result.maximumBatchRecords = worker.sinkBatchRecords
        result.maximumLingerMilliseconds = worker.sinkBatchWait.wholeMilliseconds
        result.pollWaitMilliseconds = Int(worker.pollWait.wholeMilliseconds)
        result.sessionTimeoutMilliseconds = kafka.sessionTimeoutMilliseconds
        result.maximumPollIntervalMilliseconds = kafka.maximumPollIntervalMilliseconds
        result.shortestRetry = worker.retryMinimum
        result.longestRetry = worker.retryMaximum
        return result
    }
}

extension HealthReport {
    /// Reports a worker without progress for longer than `stuckAfter` as not alive.
    init(_ snapshot: WorkerStatus.Snapshot, stuckAfter: Duration) {
        let isAlive = snapshot.lastProgress.duration(to: .now) < stuckAfter
        self.init(
            isAlive: isAlive, isReady: isAlive && snapshot.isReady,
            reason: isAlive ? snapshot.reason : "The worker's thread makes no progress.",
            partitions: snapshot.partitions)
    }
}
