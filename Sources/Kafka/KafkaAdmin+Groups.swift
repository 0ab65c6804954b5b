import CRdKafka
import Support

extension KafkaAdmin {
    /// Current member of a consumer group.
    package struct GroupMember: Hashable, Sendable {
        /// The program's `client.id`.
        package var client: String
        package var host: String
    }

    /// Returns the groups that are in use, with their members; some brokers omit the members.
    /// - Throws: ``KafkaError``, also if the broker does not support the request.
    package func groupsInUse(_ groups: [String]) throws(KafkaError) -> [String: [GroupMember]] {
        guard !groups.isEmpty else { return [:] }
        return try answer(RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, "Looking up the members of groups") {
            options, queue in
            withCStrings(groups) { names in
                rd_kafka_DescribeConsumerGroups(
                    client.handle, UnsafeMutablePointer(mutating: names), groups.count, options, queue)
            }
        } _: { (event) throws(KafkaError) in
            var count = 0
            let list = rd_kafka_DescribeConsumerGroups_result_groups(
                rd_kafka_event_DescribeConsumerGroups_result(event), &count)
            var members: [String: [GroupMember]] = [:]
            for index in 0..<count {
                guard let group = list?[index] else { continue }
                let name = String(cString: rd_kafka_ConsumerGroupDescription_group_id(group))
                try Self.check(
                    rd_kafka_ConsumerGroupDescription_error(group), while: "Looking up the members of group \(name)",
                    needs: KafkaRight(.describe, on: .group, name))
                let found: [GroupMember] = (0..<rd_kafka_ConsumerGroupDescription_member_count(group)).map { number in
                    let member = rd_kafka_ConsumerGroupDescription_member(group, number)
                    return GroupMember(
                        client: String(cString: rd_kafka_MemberDescription_client_id(member)),
                        host: String(cString: rd_kafka_MemberDescription_host(member)))
                }
                if !found.isEmpty || Self.isActive(rd_kafka_ConsumerGroupDescription_state(group)) {
                    members[name] = found
                }
            }
            return members
        }
    }

    private static func isActive(_ state: rd_kafka_consumer_group_state_t) -> Bool {
        switch state {
        case RD_KAFKA_CONSUMER_GROUP_STATE_UNKNOWN, RD_KAFKA_CONSUMER_GROUP_STATE_DEAD,
            RD_KAFKA_CONSUMER_GROUP_STATE_EMPTY:
            false
        default: true
        }
    }

    /// Throws the error of a group's result, unless the group is missing.
    private static func check(
        _ error: OpaquePointer?, while action: String, needs right: KafkaRight
    ) throws(KafkaError) {
        guard let error else { return }
        let code = rd_kafka_error_code(error)
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR, code != RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND else { return }
        throw KafkaError(code, while: action, detail: String(cString: rd_kafka_error_string(error)), needs: [right])
    }

    /// Deletes consumer groups and their committed offsets; ignores missing groups.
    /// - Throws: ``KafkaError``, also if a group has members or the broker does not support the request.
    package func deleteGroups(_ groups: [String]) throws(KafkaError) {
        // librdkafka accepts one group per request.
        for group in groups {
            var requests: [OpaquePointer?] = [rd_kafka_DeleteGroup_new(group)]
            defer { rd_kafka_DeleteGroup_destroy(requests[0]) }
            let action = "Deleting group \(group)"
            try answer(RD_KAFKA_ADMIN_OP_DELETEGROUPS, action) { options, queue in
                rd_kafka_DeleteGroups(client.handle, &requests, 1, options, queue)
            } _: { (event) throws(KafkaError) in
                var count = 0
                let list = rd_kafka_DeleteGroups_result_groups(rd_kafka_event_DeleteGroups_result(event), &count)
                for index in 0..<count {
                    try Self.check(
                        rd_kafka_group_result_error(list?[index]), while: action,
                        needs: KafkaRight(.delete, on: .group, group))
                }
            }
        }
    }

    /// Sets the committed offsets of a group to 0; the group must have no members.
    package func resetOffsets(of partitions: [TopicPartition], group: String) throws(KafkaError) {
        let list = KafkaOffsetList(capacity: partitions.count)
        for partition in partitions { list.add(partition, offset: 0) }
        var requests: [OpaquePointer?] = [rd_kafka_AlterConsumerGroupOffsets_new(group, list.pointer)]
        defer { rd_kafka_AlterConsumerGroupOffsets_destroy(requests[0]) }
        let action = "Resetting the offsets committed by group \(group)"
        try answer(RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS, action) { options, queue in
            rd_kafka_AlterConsumerGroupOffsets(client.handle, &requests, 1, options, queue)
        } _: { (event) throws(KafkaError) in
            var count = 0
            let results = rd_kafka_AlterConsumerGroupOffsets_result_groups(
                rd_kafka_event_AlterConsumerGroupOffsets_result(event), &count)
            for index in 0..<count {
                try Self.check(results?[index], group, action)
            }
        }
    }

    /// Throws the error of a group's result, or of one of its partitions.
    private static func check(_ result: OpaquePointer?, _ group: String, _ action: String) throws(KafkaError) {
        if let error = rd_kafka_group_result_error(result), rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR_NO_ERROR {
            throw KafkaError(
                rd_kafka_error_code(error), while: action, detail: String(cString: rd_kafka_error_string(error)),
                needs: [KafkaRight(.read, on: .group, group)])
        }
        guard let partitions = rd_kafka_group_result_partitions(result) else { return }
        let list = KafkaOffsetList(owning: rd_kafka_topic_partition_list_copy(partitions))
        if let error = list.firstError(while: action) { throw error }
    }
}
