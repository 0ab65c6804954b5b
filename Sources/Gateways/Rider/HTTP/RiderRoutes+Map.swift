import Foundation
import Hummingbird
import NIOCore

/// The live map: its files, the client module, the streets, and a token if access is open.
extension RiderRoutes {
    func response(_ file: WebFile) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: file.contentType, .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
                .contentSecurityPolicy: policy,
            ],
            body: ResponseBody(byteBuffer: file.content))
    }

    /// Allows requests only to this server and to the tile server.
    private var policy: String {
        let tiles = settings.tileURL.flatMap { URL(string: $0.filter { !"{}".contains($0) }) }
        let origin = tiles.flatMap { url in
            url.host.map { " \(url.scheme ?? "https")://\($0)\(url.port.map { ":\($0)" } ?? "")" }
        }
        return "default-src 'self'; img-src 'self' data:\(origin ?? ""); connect-src 'self' ws: wss:; "
            + "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
    }

    /// `GET /map/token`: a token for a page that was opened without one.
    func mapToken(_ request: Request) async throws -> Response {
        guard let make = settings.mapToken else {
            throw RequestError(
                .notFound, .tokenMissing, "Open the map with a link that has a token, or set SIGHTLINE_MAP_ACCESS=open."
            )
        }
        // Against DNS rebinding: another site's host name may resolve to this machine, and its pages could read the token.
        if let host = request.head.authority, !LoopbackHost.isNamed(by: host) {
            throw RequestError(
                .forbidden, .notAllowed,
                "Open access is limited to the hosts localhost and 127.0.0.1; use one of them, or a link with a token.")
        }
        var body = MessageWriter()
        body.text("token", try await make())
        return JSONResponse.response(body)
    }

    /// `GET /map/streets.json`: the streets drawn without tiles.
    var streets: Response {
        guard let file = settings.streetsFile, let data = FileManager.default.contents(atPath: file) else {
            return JSONResponse.response(ByteBuffer(string: #"{"lines":[]}"#))
        }
        return JSONResponse.response(ByteBuffer(data: data))
    }
}
