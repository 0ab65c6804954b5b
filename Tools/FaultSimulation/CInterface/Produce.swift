import CRdKafka
import CFaultSimulation
@_cdecl("sl_simulated_produce")
func simulatedProduce(_ client: OpaquePointer?, _ record: UnsafePointer<sl_produced>?) -> rd_kafka_resp_err_t { RD_KAFKA_RESP_ERR_NO_ERROR }
