import CRdKafka

/// Copy of a topic with librdkafka only, to measure the upper bound of a worker's throughput.
///
/// Reads with the settings of a ``KafkaReader`` and writes keys and values with those of a worker.
package struct KafkaPassthrough {
    private let configuration: KafkaConfiguration
    private let settings: KafkaProducerSettings
    private let idleTimeout: Duration
    private let log: KafkaLogHandler

    /// Creates a copy; `idleTimeout` is the time without records after which it fails.
    package init(
        _ configuration: KafkaConfiguration, settings: KafkaProducerSettings = KafkaProducerSettings(),
        idleTimeout: Duration = .seconds(10), log: @escaping KafkaLogHandler
    ) {
        self.configuration = configuration
        self.settings = settings
        self.idleTimeout = idleTimeout
        self.log = log
    }

    /// Copies the first `count` records of `partitions` to the same partitions of `target`.
    ///
    /// `begun`: called after the first poll with records, so that a measurement can exclude the time of connecting.
    /// - Returns: the number of records copied after the call of `begun`.
    /// - Throws: ``KafkaError``, also if the partitions end before `count` records.
    package func copy(_ count: Int, of partitions: [TopicPartition], to target: String, begun: () -> Void)
        throws(KafkaError)
        -> Int
    {
        let consumer = try KafkaClient(
            RD_KAFKA_CONSUMER, configuration,
            properties: KafkaReader.properties(group: "\(configuration.clientID)-reader"), log: log)
        defer { consumer.destroy(abruptly: true) }
        let producer = try KafkaClient(
            RD_KAFKA_PRODUCER, configuration, properties: KafkaProducer.properties(settings), events: RD_KAFKA_EVENT_DR,
            log: log)
        defer { producer.destroy(abruptly: true) }
        guard let topic = rd_kafka_topic_new(producer.handle, target, nil) else {
            throw KafkaError(rd_kafka_last_error(), while: "Opening topic \(target)")
        }
        let source = try consumer.consumerQueue()
        let reports: OpaquePointer = rd_kafka_queue_get_main(producer.handle)
        defer {
            rd_kafka_queue_destroy(source)
            rd_kafka_queue_destroy(reports)
            rd_kafka_topic_destroy(topic)
        }
        let list = KafkaOffsetList(Dictionary(uniqueKeysWithValues: partitions.map { ($0, .beginning) }))
        try KafkaError.check(rd_kafka_assign(consumer.handle, list.pointer), while: "Reading partitions")
        return try Copying(
            producer: producer.handle, topic: topic, source: source, reports: reports, idleTimeout: idleTimeout
        )
        .run(count, begun: begun)
    }
}

/// The copy loop of ``KafkaPassthrough``, with the handles that it uses.
private struct Copying {
    let producer: OpaquePointer
    let topic: OpaquePointer
    let source: OpaquePointer
    let reports: OpaquePointer
    let idleTimeout: Duration

    func run(_ count: Int, begun: () -> Void) throws(KafkaError) -> Int {
        let messages = UnsafeMutablePointer<UnsafeMutablePointer<rd_kafka_message_t>?>.allocate(capacity: 4096)
        defer { messages.deallocate() }
        var copied = 0
        var first = 0
        var lastReceived = ContinuousClock.now
        while copied < count {
            // The call waits until the batch is full or the time is over; a long time would delay the last batch.
            let received = Int(rd_kafka_consume_batch_queue(source, 20, messages, 4096))
            if received > 0 { lastReceived = .now }
            guard lastReceived.duration(to: .now) < idleTimeout else {
                throw KafkaError(.timedOut, "The topic ended after \(copied) of \(count) records.")
            }
            for index in 0..<received {
                guard let message = messages[index] else { continue }
                if message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
                    try send(message)
                    copied += 1
                }
                rd_kafka_message_destroy(message)
            }
            serveReports(waitMilliseconds: 0)
            if first == 0, copied > 0 {
                first = copied
                begun()
            }
        }
        while rd_kafka_outq_len(producer) > 0 {
            rd_kafka_flush(producer, 1)
            serveReports(waitMilliseconds: 5)
        }
        return copied - first
    }

    private func send(_ message: UnsafeMutablePointer<rd_kafka_message_t>) throws(KafkaError) {
        while rd_kafka_produce(
            topic, message.pointee.partition, Int32(RD_KAFKA_MSG_F_COPY), message.pointee.payload, message.pointee.len,
            message.pointee.key, message.pointee.key_len, nil) != 0
        {
            let error = rd_kafka_last_error()
            guard error == RD_KAFKA_RESP_ERR__QUEUE_FULL else { throw KafkaError(error, while: "Copying a record") }
            serveReports(waitMilliseconds: 10)
        }
    }

    private func serveReports(waitMilliseconds: Int32) {
        var wait = waitMilliseconds
        while let event = rd_kafka_queue_poll(reports, wait) {
            wait = 0
            rd_kafka_event_destroy(event)
        }
    }
}
