/// All metrics of the project; `MetricsRegistry` accepts only these, and `docs/metrics.md` is generated from the list.
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
            .gatewayEvents, .gatewayAcknowledgement, .gatewayJoins, .gatewayCloses, .gatewayLimited,
            .gatewayDeviceMessages, .gatewayUnacknowledged,
        ]
        + [.pushes, .pushesExpired, .pushRetries]
        + [.buildInfo, .residentMemory, .openFileDescriptors, .processorSeconds, .startTime]
}

/// Upper bounds of histograms, in seconds.
private enum Buckets {
    /// Bounds from a short batch, 0.5 ms, to a batch that delays the next poll by seconds.
    static let batch = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Bounds that are fine around the latency targets of rider updates, 15 ms and 60 ms, and coarse for backlogs.
    static let latency = [
        0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
    ]
    static let restore = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
}

extension MetricDefinition {
    private static func counter(_ name: String, labels: [MetricLabel] = [], _ help: String) -> MetricDefinition {
        MetricDefinition(name, .counter, labels: labels, help: help)
    }

    private static func gauge(_ name: String, labels: [MetricLabel] = [], _ help: String) -> MetricDefinition {
        MetricDefinition(name, .gauge, labels: labels, help: help)
    }

    private static func histogram(
        _ name: String, _ buckets: [Double], labels: [MetricLabel] = [], _ help: String
    ) -> MetricDefinition {
        MetricDefinition(name, .histogram(buckets: buckets), labels: labels, help: help)
    }

    // MARK: Partitions

    package static let recordsIn = counter(
        "sightline_records_in_total", labels: [.stage, .topic], "Records consumed from a topic.")
    package static let recordsOut = counter(
        "sightline_records_out_total", labels: [.stage, .topic], "Records passed to the producer for a topic.")
    package static let batchDuration = histogram(
        "sightline_batch_duration_seconds", Buckets.batch, labels: [.stage],
        "Processing time of one polled batch, until its outputs are passed to the producer or written to the store; "
            + "failed batches are not counted.")
    package static let recordLatency = histogram(
        "sightline_record_latency_seconds", Buckets.latency, labels: [.stage],
        "Latency from receipt of the raw record until this worker finished with it.")
    package static let lag = gauge(
        "sightline_lag_records", labels: [.stage, .consumerGroup, .topic, .partition],
        "Records not yet processed in an assigned partition.")
    package static let partitionsAssigned = gauge(
        "sightline_partitions_assigned", labels: [.stage, .consumerGroup], "Partitions assigned to this process.")
    package static let outputsRepeated = counter(
        "sightline_outputs_repeated_total", labels: [.stage],
        "Outputs produced again after a restore and dropped, because their topic already contains them.")
    package static let recordsRepeated = counter(
        "sightline_records_repeated_total", labels: [.stage],
        "Records dropped because they did not advance the partition's watermark.")
    package static let recordsUnreadable = counter(
        "sightline_records_unreadable_total", labels: [.stage],
        "Records of Sightline's topics that could not be read and were skipped.")
    package static let restoreDuration = histogram(
        "sightline_restore_duration_seconds", Buckets.restore, labels: [.stage],
        "Time from the assignment of a partition to its first record.")
    package static let restoreRemaining = gauge(
        "sightline_restore_remaining_records", labels: [.stage, .partition],
        "Approximate records left to restore; absent when no restore is running.")
    package static let unacknowledgedAge = gauge(
        "sightline_unacknowledged_seconds", labels: [.stage, .partition],
        "Age of the oldest unacknowledged output of an assigned partition; 0 if none.")
    package static let changelogRecordsLost = counter(
        "sightline_changelog_records_lost_total", labels: [.stage],
        "Acknowledged changelog records lost because the partition was truncated.")
    package static let keysMisplaced = counter(
        "sightline_keys_misplaced_total", labels: [.stage, .topic],
        "Records whose key belongs to another partition, because a producer does not use murmur2; in each poll, "
            + "only the first of consecutive records of a topic and partition is checked.")
    package static let kafkaErrors = counter(
        "sightline_kafka_errors_total", labels: [.stage, .code],
        "Errors reported by the Kafka client library while a worker polled, by the library's error name.")

    // MARK: Sinks

    package static let sinkWriteDuration = histogram(
        "sightline_sink_write_duration_seconds", Buckets.batch, labels: [.stage],
        "Duration of a store transaction, including failed ones.")
    package static let sinkRows = counter(
        "sightline_sink_rows_total", labels: [.stage], "Rows or keys written to the store.")
    package static let sinkRecordsOutsideDays = counter(
        "sightline_sink_records_outside_days_total", labels: [.stage],
        "Records of days without a history partition; they are stored in the default partition, where maintenance "
            + "deletes those older than HISTORY_RETENTION_DAYS.")
    package static let sinkRetries = counter(
        "sightline_sink_retries_total", labels: [.stage], "Failed store writes that were retried.")

    // MARK: Domain

    package static let verdicts = counter(
        "sightline_verdicts_total", labels: [.verdict, .reason], "Verdicts on fixes, by their first reason.")
    package static let warnings = counter(
        "sightline_warnings_total", labels: [.code, .action], "Driver warnings published, by code and action.")
    package static let deadLetters = counter(
        "sightline_dead_letters_total", labels: [.stage, .reason], "Records written to a dead-letter topic.")
    package static let fixesLost = counter(
        "sightline_fixes_lost_total", "Fixes that never arrived, from gaps in drivers' sequence numbers.")
    package static let fixesUnreadable = counter(
        "sightline_fixes_unreadable_total",
        "Unreadable fixes in batches; each batch with such fixes is written as one dead letter.")
    package static let receiptsAhead = counter(
        "sightline_receipts_ahead_total",
        "Raw records whose timestamp does not fit stream time: far ahead of it, or far from it while the device "
            + "time agrees with it.")
    package static let roadSpeedObservations = counter(
        "sightline_road_speed_observations_total", "Locations from which road speeds were learned.")
    package static let roadSpeedsEvicted = counter(
        "sightline_road_speeds_evicted_total",
        "Learned road speeds evicted for others; many mean that SIGHTLINE_LEARNED_ROAD_SPEEDS is too low.")
    package static let riderUpdates = counter(
        "sightline_rider_updates_total", labels: [.type], "Rider updates published.")

    // MARK: Notifications

    package static let pushes = counter(
        "sightline_pushes_total", labels: [.platform, .outcome], "Notifications per device, by outcome.")
    package static let pushesExpired = counter(
        "sightline_pushes_expired_total",
        "Events older than SIGHTLINE_PUSH_MAX_AGE_SECONDS, for which no notification was sent.")
    package static let pushRetries = counter(
        "sightline_push_retries_total", labels: [.platform],
        "Failed attempts of push requests that were then retried or abandoned.")

    // MARK: Gateways

    package static let gatewayConnections = gauge("sightline_gateway_connections", "Open WebSocket connections.")
    package static let gatewayStreams = gauge("sightline_gateway_streams", "Open HTTP event streams.")
    package static let gatewaySubscriptions = gauge(
        "sightline_gateway_subscriptions", "Subscribed channels, counted per client.")
    package static let gatewayChannels = gauge(
        "sightline_gateway_channels",
        "Distinct channels subscribed by clients of this process; in driver-gateway, connected drivers.")
    package static let gatewayPartitions = gauge(
        "sightline_gateway_partitions",
        "Partitions of rider.updates or driver.warnings that this process reads for its clients.")
    package static let gatewayEvents = counter(
        "sightline_gateway_events_total", "Live updates or driver warnings sent, counted per client.")
    package static let gatewayAcknowledgement = histogram(
        "sightline_gateway_acknowledgement_seconds", Buckets.latency,
        "Time from sending an event until the client acknowledged it, for clients that acknowledge.")
    package static let gatewayJoins = counter(
        "sightline_gateway_joins_total", labels: [.outcome],
        "Subscriptions by outcome: resumed from missed events, refreshed by a full snapshot, unknown channel, or "
            + "failed.")
    package static let gatewayCloses = counter(
        "sightline_gateway_closes_total", labels: [.code],
        "WebSockets and streams closed by the gateway, by close code.")
    package static let gatewayLimited = counter(
        "sightline_gateway_limited_total", labels: [.type],
        "Requests and WebSockets rejected by a rate limit, by limit.")
    package static let gatewayDeviceMessages = counter(
        "sightline_gateway_device_messages_total", labels: [.outcome],
        "Locations and trip statuses from devices, and trip events, by outcome.")
    package static let gatewayUnacknowledged = gauge(
        "sightline_gateway_unacknowledged_records", "Records from devices that Kafka has not acknowledged yet.")

    // MARK: Process

    package static let buildInfo = gauge(
        "sightline_build_info", labels: [.program, .version], "Always 1; the labels name program and version.")
    package static let residentMemory = gauge("process_resident_memory_bytes", "Resident memory of the process.")
    package static let openFileDescriptors = gauge("process_open_fds", "Open file descriptors of the process.")
    package static let processorSeconds = counter(
        "process_cpu_seconds_total", "CPU time used by the process, in user and system mode.")
    package static let startTime = gauge(
        "process_start_time_seconds", "Start time of the process, in seconds since the Unix epoch.")
}
