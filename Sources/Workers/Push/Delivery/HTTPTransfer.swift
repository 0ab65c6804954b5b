import CCurl
import Foundation

/// One request of ``HTTPTransport``, confined to its thread.
final class HTTPTransfer {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let maximumResponseBytes = 1 << 16
    private static let connectTimeoutMilliseconds = 3000
    private static let requestTimeoutMilliseconds = 5000
    /// Maximum time that an unused connection stays open; push services penalise frequent reconnects.
    private static let idleConnectionSeconds = 3600

    /// The system's certificate authorities, at one of the usual paths; libcurl is built with only one path.
    private static let systemAuthorities = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    ].first { FileManager.default.isReadableFile(atPath: $0) }

    /// libcurl's easy handle (`CURL`).
    let handle: UnsafeMutableRawPointer
    private let completion: CheckedContinuation<PushResponse, any Error>
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    private var body = Data()

    /// Prepares a request; `nil` if memory is short.
    ///
    /// `completion` is resumed by ``finish(_:)`` or ``fail(_:)``.
    init?(_ post: PushPost, authorityFile: String?, _ completion: CheckedContinuation<PushResponse, any Error>) {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.completion = completion
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        for (name, value) in post.headers { headers = curl_slist_append(headers, "\(name): \(value)") ?? headers }
        // Removes `Expect: 100-continue`, because libcurl would wait for a response before it sends a large body.
        headers = curl_slist_append(headers, "Expect:") ?? headers
        setOptions(post, authorityFile)
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(headers)
        errorText.deallocate()
    }

    private func setOptions(_ post: PushPost, _ authorityFile: String?) {
        set(CURLOPT_URL, post.url)
        set(CURLOPT_POSTFIELDSIZE, post.body.count)
        post.body.withUnsafeBytes { _ = sl_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
        sl_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)
        sl_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // Waits for a connection that is being set up and shares it, instead of opening another.
        set(CURLOPT_PIPEWAIT, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, Self.connectTimeoutMilliseconds)
        set(CURLOPT_TIMEOUT_MS, Self.requestTimeoutMilliseconds)
        set(CURLOPT_MAXAGE_CONN, Self.idleConnectionSeconds)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        // libcurl must not use signals in a process with several threads.
        set(CURLOPT_NOSIGNAL, 1)
        if let file = authorityFile ?? Self.systemAuthorities { set(CURLOPT_CAINFO, file) }
        sl_curl_set_writer(
            handle,
            { bytes, size, count, context in
                guard let bytes, let context else { return 0 }
                let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
                return transfer.append(UnsafeRawBufferPointer(start: bytes, count: size * count))
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func set(_ option: CURLoption, _ value: Int) { sl_curl_set_number(handle, option, value) }
    private func set(_ option: CURLoption, _ text: String) { sl_curl_set_pointer(handle, option, text) }

    /// Adds a piece of the response's body.
    /// - Returns: the number of stored bytes; 0 if the response is too large, which ends the transfer.
    private func append(_ piece: UnsafeRawBufferPointer) -> Int {
        guard body.count + piece.count <= Self.maximumResponseBytes else { return 0 }
        body.append(contentsOf: piece)
        return piece.count
    }

    /// Completes the request with its response or error.
    func finish(_ result: CURLcode) {
        guard result == CURLE_OK else {
            let text = String(cString: errorText)
            return fail(text.isEmpty ? String(cString: curl_easy_strerror(result)) : text)
        }
        let retryAfter = sl_curl_retry_after(handle)
        completion.resume(
            returning: PushResponse(
                status: sl_curl_status(handle), retryAfter: retryAfter > 0 ? String(retryAfter) : nil, body: body))
    }

    func fail(_ reason: String) { completion.resume(throwing: Failure(description: reason)) }
}
