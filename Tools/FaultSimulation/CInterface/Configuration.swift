import CRdKafka
import Glibc

@_cdecl("rd_kafka_conf_new")
func configurationNew() -> OpaquePointer? { ClientConfiguration().retained() }

@_cdecl("rd_kafka_conf_destroy")
func configurationDestroy(_ conf: OpaquePointer) { ClientConfiguration.release(conf) }

@_cdecl("rd_kafka_conf_set")
func configurationSet(
    _ conf: OpaquePointer, _ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>,
    _ text: UnsafeMutablePointer<CChar>?, _ size: Int
) -> rd_kafka_conf_res_t {
    ClientConfiguration.of(conf).set(String(cString: name), to: String(cString: value))
    return RD_KAFKA_CONF_OK
}

/// Does nothing: simulated producers report deliveries and errors as events.
@_cdecl("rd_kafka_conf_set_events")
func configurationSetEvents(_ conf: OpaquePointer, _ events: Int32) {}

@_cdecl("rd_kafka_conf_set_opaque")
func configurationSetOpaque(_ conf: OpaquePointer, _ opaque: UnsafeMutableRawPointer?) {
    ClientConfiguration.of(conf).opaque = opaque
}

@_cdecl("rd_kafka_conf_set_log_cb")
func configurationSetLog(_ conf: OpaquePointer, _ callback: ClientConfiguration.LogCallback?) {
    ClientConfiguration.of(conf).log = callback
}

@_cdecl("rd_kafka_conf_set_error_cb")
func configurationSetError(_ conf: OpaquePointer, _ callback: ClientConfiguration.ErrorCallback?) {
    ClientConfiguration.of(conf).error = callback
}

@_cdecl("rd_kafka_conf_set_rebalance_cb")
func configurationSetRebalance(_ conf: OpaquePointer, _ callback: ClientConfiguration.RebalanceCallback?) {
    ClientConfiguration.of(conf).rebalance = callback
}

@_cdecl("rd_kafka_new")
func clientNew(
    _ kind: rd_kafka_type_t, _ conf: OpaquePointer, _ text: UnsafeMutablePointer<CChar>?, _ size: Int
) -> OpaquePointer? {
    let client = KafkaSimulatedClient(kind, ClientConfiguration.of(conf), World.running.log)
    ClientConfiguration.release(conf)
    return OpaquePointer(Unmanaged.passRetained(client).toOpaque())
}

@_cdecl("rd_kafka_destroy_flags")
func clientDestroy(_ client: OpaquePointer, _ flags: Int32) {
    let reference = Unmanaged<KafkaSimulatedClient>.fromOpaque(UnsafeRawPointer(client))
    reference.takeUnretainedValue().close(isLeaving: flags & RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE == 0)
    reference.release()
}

@_cdecl("rd_kafka_opaque")
func clientOpaque(_ client: OpaquePointer) -> UnsafeMutableRawPointer? {
    KafkaSimulatedClient.of(client).configuration.opaque
}

@_cdecl("rd_kafka_type")
func clientType(_ client: OpaquePointer) -> rd_kafka_type_t { KafkaSimulatedClient.of(client).kind }

@_cdecl("rd_kafka_fatal_error")
func clientFatalError(
    _ client: OpaquePointer, _ text: UnsafeMutablePointer<CChar>?, _ size: Int
) -> rd_kafka_resp_err_t { RD_KAFKA_RESP_ERR_NO_ERROR }

@_cdecl("rd_kafka_memberid")
func clientMemberID(_ client: OpaquePointer) -> UnsafeMutablePointer<CChar>? {
    strdup(KafkaSimulatedClient.of(client).membership?.memberID ?? "")
}

@_cdecl("rd_kafka_topic_new")
func topicNew(_ client: OpaquePointer, _ name: UnsafePointer<CChar>, _ conf: OpaquePointer?) -> OpaquePointer? {
    KafkaSimulatedClient.of(client).topic(String(cString: name)).handle
}

@_cdecl("rd_kafka_topic_name")
func topicName(_ topic: OpaquePointer) -> UnsafePointer<CChar>? { ClientTopic.of(topic).text.map { UnsafePointer($0) } }

/// Does nothing, because the client owns its topics.
@_cdecl("rd_kafka_topic_destroy")
func topicDestroy(_ topic: OpaquePointer?) {}

private let version: StaticString = "2.16.0"

/// The version whose behaviour is simulated, whatever library is installed.
@_cdecl("rd_kafka_version_str")
func libraryVersionText() -> UnsafePointer<CChar>? {
    UnsafeRawPointer(version.utf8Start).assumingMemoryBound(to: CChar.self)
}

@_cdecl("rd_kafka_version")
func libraryVersion() -> Int32 { 0x0210_00FF }
