import CPQ

// Replacements of libpq's functions of connections. The state behind a `PGconn` is a LibpqClient.

/// Returns the client behind a `PGconn`.
func libpqClient(_ handle: OpaquePointer?) -> LibpqClient? {
    handle.map { Unmanaged<LibpqClient>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

/// Names or values of connection settings, which end with `nil`.
typealias LibpqTexts = UnsafePointer<UnsafePointer<CChar>?>

private let noConnection = CText("connection pointer is NULL\n")
/// Nanoseconds; libpq's own default is unlimited, but every caller sets a limit.
private let defaultConnectTimeout = Int64.seconds(30)

private func connectTimeout(_ keywords: LibpqTexts?, _ values: LibpqTexts?) -> Int64 {
    var index = 0
    while let keyword = keywords?[index] {
        if String(cString: keyword) == "connect_timeout", let value = values?[index],
            let seconds = Int(String(cString: value))
        {
            return .seconds(seconds)
        }
        index += 1
    }
    return defaultConnectTimeout
}

@_cdecl("PQconnectStartParams")
func libpqConnectStart(_ keywords: LibpqTexts?, _ values: LibpqTexts?, _ expandsName: Int32) -> OpaquePointer? {
    OpaquePointer(Unmanaged.passRetained(LibpqClient()).toOpaque())
}

@_cdecl("PQconnectPoll")
func libpqConnectPoll(_ handle: OpaquePointer?) -> PostgresPollingStatusType {
    libpqClient(handle)?.pollConnection() ?? PGRES_POLLING_FAILED
}

@_cdecl("PQconnectdbParams")
func libpqConnect(_ keywords: LibpqTexts?, _ values: LibpqTexts?, _ expandsName: Int32) -> OpaquePointer? {
    let client = LibpqClient()
    client.waitUntilConnected(upTo: connectTimeout(keywords, values))
    return OpaquePointer(Unmanaged.passRetained(client).toOpaque())
}

@_cdecl("PQpingParams")
func libpqPing(_ keywords: LibpqTexts?, _ values: LibpqTexts?, _ expandsName: Int32) -> PGPing {
    let client = LibpqClient()
    client.waitUntilConnected(upTo: connectTimeout(keywords, values))
    defer { client.close() }
    if client.status == CONNECTION_OK { return PQPING_OK }
    guard let rejection = client.rejection else { return PQPING_NO_RESPONSE }
    return rejection == "57P03" ? PQPING_REJECT : PQPING_OK
}

@_cdecl("PQfinish")
func libpqFinish(_ handle: OpaquePointer?) {
    guard let handle, let client = libpqClient(handle) else { return }
    client.close()
    Unmanaged<LibpqClient>.fromOpaque(UnsafeRawPointer(handle)).release()
}

@_cdecl("PQstatus")
func libpqStatus(_ handle: OpaquePointer?) -> ConnStatusType { libpqClient(handle)?.status ?? CONNECTION_BAD }

@_cdecl("PQtransactionStatus")
func libpqTransactionStatus(_ handle: OpaquePointer?) -> PGTransactionStatusType {
    libpqClient(handle)?.transactionStatus ?? PQTRANS_UNKNOWN
}

@_cdecl("PQerrorMessage")
func libpqErrorMessage(_ handle: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
    (libpqClient(handle)?.errorMessage ?? noConnection).pointer
}

@_cdecl("PQsocket")
func libpqSocket(_ handle: OpaquePointer?) -> Int32 { libpqClient(handle)?.descriptor ?? -1 }

@_cdecl("PQbackendPID")
func libpqBackendProcessID(_ handle: OpaquePointer?) -> Int32 { libpqClient(handle)?.processID ?? 0 }

@_cdecl("PQsetnonblocking")
func libpqSetNonblocking(_ handle: OpaquePointer?, _ isNonblocking: Int32) -> Int32 { 0 }

@_cdecl("PQsetErrorVerbosity")
func libpqSetErrorVerbosity(_ handle: OpaquePointer?, _ verbosity: PGVerbosity) -> PGVerbosity {
    libpqClient(handle)?.isVerbose = verbosity == PQERRORS_VERBOSE
    return PQERRORS_DEFAULT
}

/// The server sends no notices.
@_cdecl("PQsetNoticeReceiver")
func libpqSetNoticeReceiver(
    _ handle: OpaquePointer?, _ receiver: PQnoticeReceiver?, _ argument: UnsafeMutableRawPointer?
) -> PQnoticeReceiver? { nil }
