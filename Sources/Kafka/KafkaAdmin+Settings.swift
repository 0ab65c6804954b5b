import CRdKafka

extension KafkaAdmin {
    /// Returns the effective settings of topics, by topic and setting.
    /// - Throws: ``KafkaError``, also if a topic is missing or the user may not describe it.
    package func settings(of topics: [String], timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> [String: [String: String]]
    {
        try describe(topics.map { (RD_KAFKA_RESOURCE_TOPIC, $0) }, timeoutMilliseconds)
    }

    /// Returns the cluster's default replication factor; `nil` if unknown.
    package func defaultReplication() throws(KafkaError) -> Int? {
        let broker = rd_kafka_controllerid(client.handle, 5000)
        guard broker >= 0 else { return nil }
        let settings = try describe([(RD_KAFKA_RESOURCE_BROKER, "\(broker)")], 5000)["\(broker)"]
        return settings?["default.replication.factor"].flatMap { Int($0) }
    }

    private func describe(
        _ resources: [(kind: rd_kafka_ResourceType_t, name: String)], _ timeoutMilliseconds: Int
    ) throws(KafkaError) -> [String: [String: String]] {
        guard !resources.isEmpty else { return [:] }
        var requests: [OpaquePointer?] = resources.map { rd_kafka_ConfigResource_new($0.kind, $0.name) }
        defer { for request in requests { rd_kafka_ConfigResource_destroy(request) } }
        return try answer(
            RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, "Describing settings", timeoutMilliseconds: timeoutMilliseconds
        ) {
            rd_kafka_DescribeConfigs(client.handle, &requests, requests.count, $0, $1)
        } _: { (event) throws(KafkaError) in
            var count = 0
            let list = rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event), &count)
            var settings: [String: [String: String]] = [:]
            for index in 0..<count {
                guard let resource = list?[index] else { continue }
                let name = String(cString: rd_kafka_ConfigResource_name(resource))
                let error = rd_kafka_ConfigResource_error(resource)
                guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
                    throw KafkaError(
                        error, while: "Describing the settings of \(name)",
                        detail: rd_kafka_ConfigResource_error_string(resource).map { String(cString: $0) })
                }
                settings[name] = Self.entries(of: resource)
            }
            return settings
        }
    }

    private static func entries(of resource: OpaquePointer) -> [String: String] {
        var count = 0
        guard let list = rd_kafka_ConfigResource_configs(resource, &count) else { return [:] }
        var entries: [String: String] = [:]
        for index in 0..<count {
            // Secret settings have no value.
            guard let entry = list[index], let value = rd_kafka_ConfigEntry_value(entry) else { continue }
            entries[String(cString: rd_kafka_ConfigEntry_name(entry))] = String(cString: value)
        }
        return entries
    }
}
