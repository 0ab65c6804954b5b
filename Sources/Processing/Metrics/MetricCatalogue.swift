/// Every metric of the project.
///
/// A name has one type, one help text, one set of labels and one set of buckets, all declared here and nowhere else;
/// ``MetricsRegistry`` refuses what is not in the list. `docs/metrics.md` is this list as a table.
package enum MetricCatalogue {
    package static let all: [MetricDefinition] =
        [
            .recordsIn, .recordsOut, .batchDuration, .recordLatency, .lag, .partitionsAssigned, .outputsRepeated,
            .recordsRepeated, .recordsUnreadable, .restoreDuration, .restoreRemaining, .unacknowledgedAge,
            .changelogRecordsLost, .keysMisplaced, .kafkaErrors,
        ]
        + [.sinkWriteDuration, .sinkRows, .sinkRecordsOutsideDays, .sinkRetries]
        + [.verdicts, .warnings, .deadLetters, .fixesLost, .fixesUnreadable, .receiptsAhead]
        + [.paceLessons, .pacesDisplaced, .riderUpdates]
        + [
            .gatewayConnections, .gatewayStreams, .gatewaySubscriptions, .gatewayChannels, .gatewayPartitions,
            .gatewayEvents, .gatewayAcknowledgement,
            .gatewayJoins, .gatewayCloses, .gatewayLimited, .gatewayDeviceMessages, .gatewayUnacknowledged,
        ]
        + [.pushes, .pushesExpired, .pushRetries]
        + [.buildInfo, .residentMemory, .openFileDescriptors, .processorSeconds, .startTime]

    /// From half a millisecond, which a full batch takes, to what trips a health check.
    private static let batchBuckets = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// Fine around the 15 ms and 60 ms that a rider update may take, coarse where a backlog is being worked off.
    private static let latencyBuckets = [
        0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
    ]
    private static let restoreBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    fileprivate enum Buckets {
        static var batch: MetricDefinition.Kind { .histogram(buckets: batchBuckets) }
        static var latency: MetricDefinition.Kind { .histogram(buckets: latencyBuckets) }
        static var restore: MetricDefinition.Kind { .histogram(buckets: restoreBuckets) }
    }
}

// The partitions.
extension MetricDefinition {
    package static let recordsIn = MetricDefinition(
        "sightline_records_in_total", .counter, labels: [.stage, .topic],
        help: "Records taken from a topic.")
    package static let recordsOut = MetricDefinition(
        "sightline_records_out_total", .counter, labels: [.stage, .topic],
        help: "Records handed to the producer for a topic.")
    package static let batchDuration = MetricDefinition(
        "sightline_batch_duration_seconds", MetricCatalogue.Buckets.batch, labels: [.stage],
        help: "Time a stage took to process one polled batch, up to the producer; a batch that failed is not counted.")
    package static let recordLatency = MetricDefinition(
        "sightline_record_latency_seconds", MetricCatalogue.Buckets.latency, labels: [.stage],
        help: "Time from the receipt of a raw record to this stage being done with what was made of it.")
    package static let lag = MetricDefinition(
        "sightline_lag_records", .gauge, labels: [.stage, .consumerGroup, .topic, .partition],
        help: "Records of a held partition that are not processed yet.")
    package static let partitionsAssigned = MetricDefinition(
        "sightline_partitions_assigned", .gauge, labels: [.stage, .consumerGroup],
        help: "Partitions that this process holds.")
    package static let outputsRepeated = MetricDefinition(
        "sightline_outputs_repeated_total", .counter, labels: [.stage],
        help: "Outputs made again after a restore and not written, because the changelog holds them already.")
    package static let recordsRepeated = MetricDefinition(
        "sightline_records_repeated_total", .counter, labels: [.stage],
        help: "Records dropped because they did not advance their partition's clock.")
    package static let recordsUnreadable = MetricDefinition(
        "sightline_records_unreadable_total", .counter, labels: [.stage],
        help: "Records of the pipeline's own topics that could not be read and were skipped.")
    package static let restoreDuration = MetricDefinition(
        "sightline_restore_duration_seconds", MetricCatalogue.Buckets.restore, labels: [.stage],
        help: "Time from the assignment of a partition to its first record.")
    package static let restoreRemaining = MetricDefinition(
        "sightline_restore_remaining_records", .gauge, labels: [.stage, .partition],
        help:
            "Records that a restore of a partition has still to read, about; absent while the partition is not being restored."
    )
    package static let unacknowledgedAge = MetricDefinition(
        "sightline_unacknowledged_seconds", .gauge, labels: [.stage, .partition],
        help: "Age of the oldest output of a held partition that its topic has not acknowledged; 0 when all are.")
    package static let changelogRecordsLost = MetricDefinition(
        "sightline_changelog_records_lost_total", .counter, labels: [.stage],
        help: "Records of a changelog that were acknowledged and are not there any more: its partition was truncated.")
    package static let keysMisplaced = MetricDefinition(
        "sightline_keys_misplaced_total", .counter, labels: [.stage, .topic],
        help: "Records in another partition than their key belongs to, among the first of each topic, partition and "
            + "poll; a producer uses another partitioner than murmur2.")
    package static let kafkaErrors = MetricDefinition(
        "sightline_kafka_errors_total", .counter, labels: [.stage, .code],
        help: "Errors that the Kafka client library reported while a worker polled, by the library's name.")
}

// The sinks.
extension MetricDefinition {
    package static let sinkWriteDuration = MetricDefinition(
        "sightline_sink_write_duration_seconds", MetricCatalogue.Buckets.batch, labels: [.stage],
        help: "Time one transaction with the store took, failures included.")
    package static let sinkRows = MetricDefinition(
        "sightline_sink_rows_total", .counter, labels: [.stage],
        help: "Rows or keys written to the store.")
    package static let sinkRecordsOutsideDays = MetricDefinition(
        "sightline_sink_records_outside_days_total", .counter, labels: [.stage],
        help: "Records received, by their timestamp, on a day that the history has no partition for; they go to the "
            + "default partition, where maintenance deletes those older than HISTORY_RETENTION_DAYS.")
    package static let sinkRetries = MetricDefinition(
        "sightline_sink_retries_total", .counter, labels: [.stage],
        help: "Writes to the store that failed and were tried again.")
}

// The domain.
extension MetricDefinition {
    package static let verdicts = MetricDefinition(
        "sightline_verdicts_total", .counter, labels: [.verdict, .reason],
        help: "Verdicts on fixes, by their first reason.")
    package static let warnings = MetricDefinition(
        "sightline_warnings_total", .counter, labels: [.code, .action],
        help: "Warnings about drivers written.")
    package static let deadLetters = MetricDefinition(
        "sightline_dead_letters_total", .counter, labels: [.stage, .reason],
        help: "Records that went to a dead-letter topic.")
    package static let fixesLost = MetricDefinition(
        "sightline_fixes_lost_total", .counter,
        help: "Fixes that never arrived, by the gaps in their drivers' sequences.")
    package static let fixesUnreadable = MetricDefinition(
        "sightline_fixes_unreadable_total", .counter,
        help: "Fixes of batches that could not be read; each batch with such fixes is one dead letter.")
    package static let receiptsAhead = MetricDefinition(
        "sightline_receipts_ahead_total", .counter,
        help: """
            Raw records whose timestamp stream time did not follow at once: far ahead of it, as after a silence, or away \
            from it while the device agrees with stream time.
            """)
    package static let paceLessons = MetricDefinition(
        "sightline_pace_lessons_total", .counter,
        help: "Locations that taught a partition how fast a road is driven.")
    package static let pacesDisplaced = MetricDefinition(
        "sightline_paces_displaced_total", .counter,
        help: "Learned paces that made room for others; many mean that SIGHTLINE_LEARNED_PACES is too low.")
    package static let riderUpdates = MetricDefinition(
        "sightline_rider_updates_total", .counter, labels: [.type],
        help: "Updates written for those who watch trips.")
}

// Notifications.
extension MetricDefinition {
    package static let pushes = MetricDefinition(
        "sightline_pushes_total", .counter, labels: [.platform, .outcome],
        help: "Notifications for one device each, by what became of them.")
    package static let pushesExpired = MetricDefinition(
        "sightline_pushes_expired_total", .counter,
        help: "Messages for phones that were older than SIGHTLINE_PUSH_MAX_AGE_SECONDS and were not sent.")
    package static let pushRetries = MetricDefinition(
        "sightline_push_retries_total", .counter, labels: [.platform],
        help: "Requests to a push service that had to be made again, or were given up for that.")
}

// The gateways.
extension MetricDefinition {
    package static let gatewayConnections = MetricDefinition(
        "sightline_gateway_connections", .gauge,
        help: "WebSocket connections that are open.")
    package static let gatewayStreams = MetricDefinition(
        "sightline_gateway_streams", .gauge,
        help: "Streams of a trip's events over HTTP that are open.")
    package static let gatewaySubscriptions = MetricDefinition(
        "sightline_gateway_subscriptions", .gauge,
        help: "Channels that clients watch, counted for each client.")
    package static let gatewayChannels = MetricDefinition(
        "sightline_gateway_channels", .gauge,
        help: "Channels that any client of this process watches; of driver-gateway, the connected drivers.")
    package static let gatewayPartitions = MetricDefinition(
        "sightline_gateway_partitions", .gauge,
        help: "Partitions of rider.updates, or of driver.warnings, that this process reads for its clients.")
    package static let gatewayEvents = MetricDefinition(
        "sightline_gateway_events_total", .counter,
        help: "Live updates, or warnings for drivers, handed to clients, counted for each client.")
    package static let gatewayAcknowledgement = MetricDefinition(
        "sightline_gateway_acknowledgement_seconds", MetricCatalogue.Buckets.latency,
        help: "From when an event was handed to a client until the client acknowledged it, where clients do.")
    package static let gatewayJoins = MetricDefinition(
        "sightline_gateway_joins_total", .counter, labels: [.outcome],
        help: "Subscriptions by how they began: by missed events alone, or by the channel's state in full.")
    package static let gatewayCloses = MetricDefinition(
        "sightline_gateway_closes_total", .counter, labels: [.code],
        help: "WebSockets and streams that the gateway closed, by the code of the close frame.")
    package static let gatewayLimited = MetricDefinition(
        "sightline_gateway_limited_total", .counter, labels: [.type],
        help: "Requests and new WebSockets that were refused because too many came, by whose limit it was.")
    package static let gatewayDeviceMessages = MetricDefinition(
        "sightline_gateway_device_messages_total", .counter, labels: [.outcome],
        help: "Locations and trip statuses of drivers' devices, and events of trips, by what became of them.")
    package static let gatewayUnacknowledged = MetricDefinition(
        "sightline_gateway_unacknowledged_records", .gauge,
        help: "Records of drivers' devices that Kafka has not acknowledged yet.")
}

// The process.
extension MetricDefinition {
    package static let buildInfo = MetricDefinition(
        "sightline_build_info", .gauge, labels: [.program, .version],
        help: "Always 1; the labels say which program of which version this is.")
    package static let residentMemory = MetricDefinition(
        "process_resident_memory_bytes", .gauge,
        help: "Resident memory of the process.")
    package static let openFileDescriptors = MetricDefinition(
        "process_open_fds", .gauge,
        help: "File descriptors that the process has open.")
    package static let processorSeconds = MetricDefinition(
        "process_cpu_seconds_total", .counter,
        help: "Processor time that the process has used, in user and system mode.")
    package static let startTime = MetricDefinition(
        "process_start_time_seconds", .gauge,
        help: "When the process started, in seconds since the Unix epoch.")
}
