import CRdKafka

extension KafkaError {
    /// Translates an error code of librdkafka.
    ///
    /// `action`: start of the message ("Committing offsets"). `detail`: librdkafka's error text, if
    /// any. `rights`: required permissions, for the message if the broker denies access.
    init(_ error: rd_kafka_resp_err_t, while action: String, detail: String? = nil, needs rights: [KafkaRight] = []) {
        let (code, fix, retriable, fatal) = Self.classify(error)
        let reason = detail ?? Self.reason(error)
        let advice = Self.missing(error, rights).map(Self.advice) ?? fix
        self.init(code, "\(action) failed: \(reason)\(advice)", isRetriable: retriable, isFatal: fatal)
        libraryName = String(cString: rd_kafka_err2name(error))
    }

    /// Default advice if no broker answers.
    static let addressAdvice = "; if it lasts, check KAFKA_BOOTSTRAP_SERVERS and KAFKA_SECURITY_PROTOCOL."

    /// Returns the error text for an error without detail.
    private static func reason(_ error: rd_kafka_resp_err_t) -> String {
        switch error {
        case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN: "no broker answers"
        default: String(cString: rd_kafka_err2str(error))
        }
    }

    /// Returns the missing permission with all candidates, because the broker omits the name.
    private static func missing(_ error: rd_kafka_resp_err_t, _ rights: [KafkaRight]) -> KafkaRight? {
        let resource: KafkaRight.Resource
        switch error {
        case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED: resource = .topic
        case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED: resource = .group
        default: return nil
        }
        let candidates = rights.filter { $0.resource == resource }
        guard let first = candidates.first else { return nil }
        return KafkaRight(first.operation, on: resource, candidates.map(\.name).joined(separator: " or "))
    }

    private static func advice(_ right: KafkaRight) -> String {
        "; grant this program's user \(right); docs/security.md lists what each program needs."
    }

    /// Translates and destroys an error object of librdkafka; `nil` for none.
    init?(consuming error: OpaquePointer?, while action: String, needs rights: [KafkaRight] = []) {
        guard let error else { return nil }
        self.init(
            rd_kafka_error_code(error), while: action, detail: String(cString: rd_kafka_error_string(error)),
            needs: rights)
        if rd_kafka_error_is_fatal(error) != 0 { isFatal = true }
        if rd_kafka_error_is_retriable(error) != 0 { isRetriable = true }
        rd_kafka_error_destroy(error)
    }

    /// Throws the translation of `error`, unless it is the code for success.
    static func check(
        _ error: rd_kafka_resp_err_t, while action: String, needs rights: [KafkaRight] = []
    ) throws(KafkaError) {
        if error != RD_KAFKA_RESP_ERR_NO_ERROR { throw KafkaError(error, while: action, needs: rights) }
    }

    /// Translates, destroys and throws an error object of librdkafka; returns if `error` is `nil`.
    static func check(_ error: OpaquePointer?, while action: String) throws(KafkaError) {
        if let error = KafkaError(consuming: error, while: action) { throw error }
    }

    private static func classify(_ error: rd_kafka_resp_err_t) -> (Code, fix: String, retriable: Bool, fatal: Bool) {
        switch error {
        case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__RESOLVE,
            RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION,
            RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
            RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
            RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR__WAIT_COORD:
            (.unreachable, addressAdvice, true, false)
        case RD_KAFKA_RESP_ERR__TIMED_OUT, RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
            RD_KAFKA_RESP_ERR__MSG_TIMED_OUT:
            (.timedOut, ".", true, false)
        case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC,
            RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
            (.topicMissing, "; create the topics with `sightline topics create`.", false, true)
        case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
            (.recordTooLarge, "; raise max.message.bytes of the topic.", false, true)
        case RD_KAFKA_RESP_ERR__FENCED, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID,
            RD_KAFKA_RESP_ERR_PRODUCER_FENCED:
            (.fenced, "; another process took over, so restart this one.", false, true)
        case RD_KAFKA_RESP_ERR__FATAL, RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER,
            RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID:
            (.other, "; the client failed permanently, so restart the process.", false, true)
        case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
            (.offsetOutOfRange, ".", false, false)
        case RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID,
            RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST, RD_KAFKA_RESP_ERR__STATE,
            RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED:
            (.groupChanged, ".", true, false)
        default:
            accessFix(error).map { (.access, $0, false, true) } ?? (.other, ".", false, false)
        }
    }

    /// Returns the fix for a rejected login, TLS connection or permission; `nil` for other errors.
    private static func accessFix(_ error: rd_kafka_resp_err_t) -> String? {
        switch error {
        case RD_KAFKA_RESP_ERR__AUTHENTICATION, RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
            RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
            "; check KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD."
        case RD_KAFKA_RESP_ERR__SSL:
            "; check KAFKA_SECURITY_PROTOCOL and KAFKA_SSL_CA_LOCATION, and that the broker's certificate is "
                + "valid for its host."
        case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
            RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
            "; grant this program's user the permissions listed in docs/security.md."
        default: nil
        }
    }
}
