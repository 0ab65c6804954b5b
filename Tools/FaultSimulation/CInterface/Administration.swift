import CRdKafka

/// Requests of administrators are answered by an error; workers only use one, to warn about short retention.
@_cdecl("rd_kafka_DescribeConfigs")
func describeConfigurations(
    _ client: OpaquePointer, _ resources: UnsafeMutablePointer<OpaquePointer?>?, _ count: Int,
    _ options: OpaquePointer?, _ queue: OpaquePointer
) { QueueHandle.of(queue).queue.append(.problem(RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED)) }

@_cdecl("rd_kafka_AdminOptions_new")
func adminOptionsNew(_ client: OpaquePointer, _ operation: rd_kafka_admin_op_t) -> OpaquePointer? { client }

@_cdecl("rd_kafka_AdminOptions_destroy")
func adminOptionsDestroy(_ options: OpaquePointer?) {}

@_cdecl("rd_kafka_AdminOptions_set_request_timeout")
func adminOptionsSetRequestTimeout(
    _ options: OpaquePointer?, _ milliseconds: Int32, _ text: UnsafeMutablePointer<CChar>?, _ size: Int
) -> rd_kafka_resp_err_t { RD_KAFKA_RESP_ERR_NO_ERROR }

@_cdecl("rd_kafka_AdminOptions_set_operation_timeout")
func adminOptionsSetOperationTimeout(
    _ options: OpaquePointer?, _ milliseconds: Int32, _ text: UnsafeMutablePointer<CChar>?, _ size: Int
) -> rd_kafka_resp_err_t { RD_KAFKA_RESP_ERR_NO_ERROR }
