import CRdKafka
import Lanes
import Tracking

extension KafkaConsumer {
    /// Answers an assignment, or adds lanes held back from one: fetching starts at `positions`.
    ///
    /// `lanes`: none, or with the range assignor all of them; what is left out is this member's all the same, and is not
    /// fetched. `positions`: for every lane.
    package func accept(_ lanes: [KafkaLane], positions: [KafkaLane: KafkaPosition]) throws(KafkaError) {
        if unanswered.first?.kind == .assigned { unanswered.removeFirst() }
        let list = KafkaOffsetList(capacity: lanes.count)
        for lane in lanes { list.add(lane, position: positions[lane] ?? .beginning) }
        if isCooperative {
            if let error = KafkaError(
                consuming: rd_kafka_incremental_assign(client.handle, list.pointer), while: "Taking lanes")
            {
                throw error
            }
            fetched.formUnion(lanes)
            return
        }
        let error = rd_kafka_assign(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Taking lanes") }
        fetched = Set(lanes)
    }

    /// Answers a revocation or a loss.
    ///
    /// `lanes`: also those that are not fetched. With the range assignor all lanes go.
    package func release(_ lanes: [KafkaLane]) throws(KafkaError) {
        if let first = unanswered.first, first.kind != .assigned { unanswered.removeFirst() }
        if isCooperative {
            // The library refuses to take back what it does not fetch.
            let list = KafkaOffsetList(lanes.filter { fetched.contains($0) })
            fetched.subtract(lanes)
            if let error = KafkaError(
                consuming: rd_kafka_incremental_unassign(client.handle, list.pointer), while: "Releasing lanes")
            {
                throw error
            }
            return
        }
        fetched = []
        let error = rd_kafka_assign(client.handle, nil)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Releasing lanes") }
    }

    /// Goes on at other positions of lanes already held; what was fetched of them is forgotten.
    package func seek(_ positions: [KafkaLane: KafkaPosition], timeoutMilliseconds: Int = 5000) throws(KafkaError) {
        guard !positions.isEmpty else { return }
        let list = KafkaOffsetList(capacity: positions.count)
        for (lane, position) in positions { list.add(lane, position: position) }
        if let error = KafkaError(
            consuming: rd_kafka_seek_partitions(client.handle, list.pointer, Int32(clamping: timeoutMilliseconds)),
            while: "Seeking")
        {
            throw error
        }
        if let error = list.firstError(while: "Seeking") { throw error }
    }

    /// Stops fetching `lanes` and forgets what was fetched of them.
    package func pause(_ lanes: [KafkaLane]) throws(KafkaError) {
        let list = KafkaOffsetList(lanes)
        let error = rd_kafka_pause_partitions(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Pausing lanes") }
    }

    /// Goes on fetching lanes that were paused, from the record after the last one handed out.
    package func resume(_ lanes: [KafkaLane]) throws(KafkaError) {
        let list = KafkaOffsetList(lanes)
        let error = rd_kafka_resume_partitions(client.handle, list.pointer)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { throw KafkaError(error, while: "Resuming lanes") }
    }

    /// Marks everything before `next` as done; ``commit()`` sends it.
    /// - Returns: `false` when the lane is no longer held.
    @discardableResult
    package func storeOffset(input: Int, lane: Int32, next: Int64) -> Bool {
        guard let topic = table.handle(at: input) else { return false }
        // The library's call takes the last offset done, not the next one.
        return rd_kafka_offset_store(topic, lane, next - 1) == RD_KAFKA_RESP_ERR_NO_ERROR
    }

    /// Sends all stored offsets and waits for the answer.
    package func commit() throws(KafkaError) {
        switch rd_kafka_commit(client.handle, nil, 0) {
        case RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR__NO_OFFSET: return
        case let error:
            throw KafkaError(
                error, while: "Committing offsets",
                needs: [KafkaRight(.read, on: .group, client.group)]
                    + table.names.map { KafkaRight(.read, on: .topic, $0) })
        }
    }

    /// Sends all stored offsets without waiting for the answer.
    package func commitSoon() { rd_kafka_commit(client.handle, nil, 1) }

    /// The group's committed offsets; lanes never committed are absent.
    package func committed(_ lanes: [KafkaLane], timeoutMilliseconds: Int = 5000) throws(KafkaError) -> [KafkaLane:
        Int64]
    {
        try client.committed(lanes, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// The watermarks that the last fetch of `lane` reported; `nil` before the first.
    package func watermarks(of lane: KafkaLane) -> KafkaWatermarks? { client.cachedWatermarks(of: lane) }

    /// Asks the broker which offsets of `lane` it holds.
    package func queryWatermarks(of lane: KafkaLane, timeoutMilliseconds: Int = 5000) throws(KafkaError)
        -> KafkaWatermarks
    {
        try client.watermarks(of: lane, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }

    /// The first offset of each lane at or after `time` of it; lanes without such a record are absent.
    package func offsets(
        of lanes: [KafkaLane], atOrAfter time: (KafkaLane) -> Timestamp, timeoutMilliseconds: Int = 5000
    ) throws(KafkaError) -> [KafkaLane: Int64] {
        try client.offsets(of: lanes, atOrAfter: time, timeoutMilliseconds: Int32(clamping: timeoutMilliseconds))
    }
}
