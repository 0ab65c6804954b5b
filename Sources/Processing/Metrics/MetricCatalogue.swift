/// All metrics of the project: `MetricsRegistry` rejects others, and `docs/metrics.md` is generated from the list.
package enum MetricCatalogue {
    package static let all: [MetricDefinition] =
        [
            .recordsIn, .recordsOut, .batchDuration, .recordLatency, .lag, .partitionsAssigned, .outputsRepeated,
            .recordsRepeated, .recordsUnreadable, .restoreDuration, .restoreRemaining, .unacknowledgedAge,
            .changelogRecordsLost, .keysMisplaced, .kafkaErrors,
        ]
        + [.sinkWriteDuration, .sinkRows, .sinkRecordsOutsideDays, .sinkRetries]
        + [.verdicts, .warnings, .deadLetters, .fixesLost, .fixesUnreadable, .receiptsAhead]
        + [.roadSpeedObservations, .roadSpeedsEvicted, .riderUpdates]
        + [
            .gatewayConnections, .gatewayStreams, .gatewaySubscriptions, .gatewayChannels, .gatewayPartitions,
            .gatewayEvents, .gatewayAcknowledgement,
            .gatewayJoins, .gatewayCloses, .gatewayLimited, .gatewayDeviceMessages, .gatewayUnacknowledged,
        ]
        + [.pushes, .pushesExpired, .pushRetries]
        + [.buildInfo, .residentMemory, .openFileDescriptors, .processorSeconds, .startTime]

    fileprivate enum Buckets {
        /// From a short batch, 0.5 ms, to a batch that delays the next poll by seconds.
        static let batch = MetricDefinition.Kind.histogram(
            buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
        /// Fine around the latency targets of rider updates, 15 ms and 60 ms; coarse for backlogs.
        static let latency = MetricDefinition.Kind.histogram(
            buckets: [
                0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
                60, 300,
            ])
        static let restore = MetricDefinition.Kind.histogram(
            buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60])
    }
}

// MARK: Partitions

extension MetricDefinition {
    package static let recordsIn = MetricDefinition(
        "sightline_records_in_total", .counter, labels: [.stage, .topic],
        help: "Records consumed from a topic.")
    package static let recordsOut = MetricDefinition(
        "sightline_records_out_total", .counter, labels: [.stage, .topic],
        help: "Records passed to the producer for a topic.")
    package static let batchDuration = MetricDefinition(
        "sightline_batch_duration_seconds", MetricCatalogue.Buckets.batch, labels: [.stage],
        help: "Processing time of one polled batch, until its outputs are passed to the producer or written to the "
            + "store; failed batches are not counted.")
    package static let recordLatency = MetricDefinition(
        "sightline_record_latency_seconds", MetricCatalogue.Buckets.latency, labels: [.stage],
        help: "Latency from receipt of the raw record until this worker finished with it.")
    package static let lag = MetricDefinition(
        "sightline_lag_records", .gauge, labels: [.stage, .consumerGroup, .topic, .partition],
        help: "Records not yet processed in an assigned partition.")
    package static let partitionsAssigned = MetricDefinition(
        "sightline_partitions_assigned", .gauge, labels: [.stage, .consumerGroup],
        help: "Partitions assigned to this process.")
    package static let outputsRepeated = MetricDefinition(
        "sightline_outputs_repeated_total", .counter, labels: [.stage],
        help: "Outputs produced again after a restore and dropped, because their topic already contains them.")
    package static let recordsRepeated = MetricDefinition(
        "sightline_records_repeated_total", .counter, labels: [.stage],
        help: "Records dropped because they did not advance the partition's watermark.")
    package static let recordsUnreadable = MetricDefinition(
        "sightline_records_unreadable_total", .counter, labels: [.stage],
        help: "Records of Sightline's topics that could not be read and were skipped.")
    package static let restoreDuration = MetricDefinition(
        "sightline_restore_duration_seconds", MetricCatalogue.Buckets.restore, labels: [.stage],
        help: "Time from the assignment of a partition to its first record.")
    package static let restoreRemaining = MetricDefinition(
        "sightline_restore_remaining_records", .gauge, labels: [.stage, .partition],
        help: "Approximate records left to restore; absent when no restore is running.")
    package static let unacknowledgedAge = MetricDefinition(
        "sightline_unacknowledged_seconds", .gauge, labels: [.stage, .partition],
        help: "Age of the oldest unacknowledged output of an assigned partition; 0 if none.")
    package static let changelogRecordsLost = MetricDefinition(
        "sightline_changelog_records_lost_total", .counter, labels: [.stage],
        help: "Acknowledged changelog records lost because the partition was truncated.")
    package static let keysMisplaced = MetricDefinition(
        "sightline_keys_misplaced_total", .counter, labels: [.stage, .topic],
        help: "Records whose key belongs to another partition, because a producer does not use murmur2; in each poll, "
            + "only the first of consecutive records of a topic and partition is checked.")
    package static let kafkaErrors = MetricDefinition(
        "sightline_kafka_errors_total", .counter, labels: [.stage, .code],
        help: "Errors reported by the Kafka client library while a worker polled, by the library's error name.")
}

// MARK: Sinks

extension MetricDefinition {
    package static let sinkWriteDuration = MetricDefinition(
        "sightline_sink_write_duration_seconds", MetricCatalogue.Buckets.batch, labels: [.stage],
        help: "Duration of a store transaction, including failed ones.")
    package static let sinkRows = MetricDefinition(
        "sightline_sink_rows_total", .counter, labels: [.stage],
        help: "Rows or keys written to the store.")
    package static let sinkRecordsOutsideDays = MetricDefinition(
        "sightline_sink_records_outside_days_total", .counter, labels: [.stage],
        help: "Records of days without a history partition; they are stored in the default partition, where "
            + "maintenance deletes those older than HISTORY_RETENTION_DAYS.")
    package static let sinkRetries = MetricDefinition(
        "sightline_sink_retries_total", .counter, labels: [.stage],
        help: "Failed store writes that were retried.")
}

// MARK: Domain

extension MetricDefinition {
    package static let verdicts = MetricDefinition(
        "sightline_verdicts_total", .counter, labels: [.verdict, .reason],
        help: "Verdicts on fixes, by their first reason.")
    package static let warnings = MetricDefinition(
        "sightline_warnings_total", .counter, labels: [.code, .action],
        help: "Driver warnings published, by code and action.")
    package static let deadLetters = MetricDefinition(
        "sightline_dead_letters_total", .counter, labels: [.stage, .reason],
        help: "Records written to a dead-letter topic.")
    package static let fixesLost = MetricDefinition(
        "sightline_fixes_lost_total", .counter,
        help: "Fixes that never arrived, from gaps in drivers' sequence numbers.")
    package static let fixesUnreadable = MetricDefinition(
        "sightline_fixes_unreadable_total", .counter,
        help: "Unreadable fixes in batches; each batch with such fixes is written as one dead letter.")
    package static let receiptsAhead = MetricDefinition(
        "sightline_receipts_ahead_total", .counter,
        help: "Raw records whose timestamp does not fit stream time: far ahead of it, or far from it while the device "
            + "time agrees with it.")
    package static let roadSpeedObservations = MetricDefinition(
        "sightline_road_speed_observations_total", .counter,
        help: "Locations from which road speeds were learned.")
    package static let roadSpeedsEvicted = MetricDefinition(
        "sightline_road_speeds_evicted_total", .counter,
        help: "Learned road speeds evicted for others; many mean that SIGHTLINE_LEARNED_ROAD_SPEEDS is too low.")
    package static let riderUpdates = MetricDefinition(
        "sightline_rider_updates_total", .counter, labels: [.type],
        help: "Rider updates published.")
}

// MARK: Notifications

extension MetricDefinition {
    package static let pushes = MetricDefinition(
        "sightline_pushes_total", .counter, labels: [.platform, .outcome],
        help: "Notifications per device, by outcome.")
    package static let pushesExpired = MetricDefinition(
        "sightline_pushes_expired_total", .counter,
        help: "Events older than SIGHTLINE_PUSH_MAX_AGE_SECONDS, for which no notification was sent.")
    package static let pushRetries = MetricDefinition(
        "sightline_push_retries_total", .counter, labels: [.platform],
        help: "Failed attempts of push requests that were then retried or abandoned.")
}

// MARK: Gateways

extension MetricDefinition {
    package static let gatewayConnections = MetricDefinition(
        "sightline_gateway_connections", .gauge,
        help: "Open WebSocket connections.")
    package static let gatewayStreams = MetricDefinition(
        "sightline_gateway_streams", .gauge,
        help: "Open HTTP event streams.")
    package static let gatewaySubscriptions = MetricDefinition(
        "sightline_gateway_subscriptions", .gauge,
        help: "Subscribed channels, counted per client.")
    package static let gatewayChannels = MetricDefinition(
        "sightline_gateway_channels", .gauge,
        help: "Distinct channels subscribed by clients of this process; in driver-gateway, connected drivers.")
    package static let gatewayPartitions = MetricDefinition(
        "sightline_gateway_partitions", .gauge,
        help: "Partitions of rider.updates or driver.warnings that this process reads for its clients.")
    package static let gatewayEvents = MetricDefinition(
        "sightline_gateway_events_total", .counter,
        help: "Live updates or driver warnings sent, counted per client.")
    package static let gatewayAcknowledgement = MetricDefinition(
        "sightline_gateway_acknowledgement_seconds", MetricCatalogue.Buckets.latency,
        help: "Time from sending an event until the client acknowledged it, for clients that acknowledge.")
    package static let gatewayJoins = MetricDefinition(
        "sightline_gateway_joins_total", .counter, labels: [.outcome],
        help: "Subscriptions by outcome: resumed from missed events, refreshed by a full snapshot, unknown channel, or "
            + "failed.")
    package static let gatewayCloses = MetricDefinition(
        "sightline_gateway_closes_total", .counter, labels: [.code],
        help: "WebSockets and streams closed by the gateway, by close code.")
    package static let gatewayLimited = MetricDefinition(
        "sightline_gateway_limited_total", .counter, labels: [.type],
        help: "Requests and WebSockets rejected by a rate limit, by limit.")
    package static let gatewayDeviceMessages = MetricDefinition(
        "sightline_gateway_device_messages_total", .counter, labels: [.outcome],
        help: "Locations and trip statuses from devices, and trip events, by outcome.")
    package static let gatewayUnacknowledged = MetricDefinition(
        "sightline_gateway_unacknowledged_records", .gauge,
        help: "Records from devices that Kafka has not acknowledged yet.")
}

// MARK: Process

extension MetricDefinition {
    package static let buildInfo = MetricDefinition(
        "sightline_build_info", .gauge, labels: [.program, .version],
        help: "Always 1; the labels name program and version.")
    package static let residentMemory = MetricDefinition(
        "process_resident_memory_bytes", .gauge,
        help: "Resident memory of the process.")
    package static let openFileDescriptors = MetricDefinition(
        "process_open_fds", .gauge,
        help: "Open file descriptors of the process.")
    package static let processorSeconds = MetricDefinition(
        "process_cpu_seconds_total", .counter,
        help: "CPU time used by the process, in user and system mode.")
    package static let startTime = MetricDefinition(
        "process_start_time_seconds", .gauge,
        help: "Start time of the process, in seconds since the Unix epoch.")
}
