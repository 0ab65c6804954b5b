import Hummingbird
import NIOCore

/// Creates responses with a JSON body.
enum JSONResponse {
    static func response(_ body: MessageWriter, status: HTTPResponse.Status = .ok) -> Response {
        response(body.buffer, status: status)
    }

    static func response(_ body: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: body))
    }
}
