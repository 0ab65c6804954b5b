import CPQ

// Replacements of libpq's functions of statements.

@_cdecl("PQsendQuery")
func libpqSendQuery(_ handle: OpaquePointer?, _ text: UnsafePointer<CChar>?) -> Int32 {
    guard let client = libpqClient(handle), let text else { return 0 }
    return client.sendQuery(String(cString: text), []) ? 1 : 0
}

@_cdecl("PQsendQueryParams")
func libpqSendQueryParameters(
    _ handle: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ count: Int32, _ types: UnsafePointer<Oid>?,
    _ values: LibpqTexts?, _ lengths: UnsafePointer<Int32>?, _ formats: UnsafePointer<Int32>?, _ resultFormat: Int32
) -> Int32 {
    guard let client = libpqClient(handle), let text else { return 0 }
    let parameters = (0..<Int(count)).map { index in values?[index].map { String(cString: $0) } }
    return client.sendQuery(String(cString: text), parameters) ? 1 : 0
}

@_cdecl("PQsetSingleRowMode")
func libpqSetSingleRowMode(_ handle: OpaquePointer?) -> Int32 {
    guard let client = libpqClient(handle) else { return 0 }
    client.isSingleRowMode = true
    return 1
}

@_cdecl("PQputCopyData")
func libpqPutCopyData(_ handle: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
    guard let client = libpqClient(handle) else { return -1 }
    let data = UnsafeRawBufferPointer(start: bytes, count: Int(count))
    return client.sendCopy(.copyData(Array(data))) ? 1 : -1
}

@_cdecl("PQputCopyEnd")
func libpqPutCopyEnd(_ handle: OpaquePointer?, _ error: UnsafePointer<CChar>?) -> Int32 {
    guard let client = libpqClient(handle) else { return -1 }
    return client.sendCopy(error.map { .copyFailed(String(cString: $0)) } ?? .copyDone) ? 1 : -1
}

@_cdecl("PQflush")
func libpqFlush(_ handle: OpaquePointer?) -> Int32 { libpqClient(handle)?.flush() ?? -1 }

@_cdecl("PQconsumeInput")
func libpqConsumeInput(_ handle: OpaquePointer?) -> Int32 { libpqClient(handle)?.consumeInput() == true ? 1 : 0 }

@_cdecl("PQisBusy")
func libpqIsBusy(_ handle: OpaquePointer?) -> Int32 { libpqClient(handle)?.isBusy == true ? 1 : 0 }

@_cdecl("PQgetResult")
func libpqGetResult(_ handle: OpaquePointer?) -> OpaquePointer? {
    libpqClient(handle)?.result().map { OpaquePointer(Unmanaged.passRetained($0).toOpaque()) }
}
