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

    /// Content security policy: allows this server, images of the tile server, and WebSockets to any host.
    private var policy: String {
        let tiles = settings.tileURL.flatMap { URL(string: $0.filter { !"{}".contains($0) }) }
        let origin = tiles.flatMap { url in
            url.host.map { " \(url.scheme ?? "https")://\($0)\(url.port.map { ":\($0)" } ?? "")" }
        }
        return "default-src 'self'; img-src 'self' data:\(origin ?? ""); connect-src 'self' ws: wss:; "
            + "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
    }

    /// `GET /map/token`: a token for a page that was opened without one.
    func mapToken(_ request: Request) throws -> Response {
        guard let make = settings.mapToken else {
            throw RequestError(
                .notFound, .tokenMissing, "Open the map with a link that has a token, or set SIGHTLINE_MAP_ACCESS=open."
            )
        }
        // Prevents DNS rebinding: another site's name may resolve to this machine, so its pages could read the token.
        if let host = request.head.authority, !LoopbackHost.matches(authority: host) {
            throw RequestError(
                .forbidden, .notAllowed,
                "Open access is limited to localhost and loopback addresses; use one of these, or a link with a token.")
        }
        var body = MessageWriter()
        body.text("token", try make())
        return JSONResponse.response(body)
    }

    /// `GET /map/streets.json`: the streets that the map draws if it has no tiles.
    var streets: Response {
        guard let file = settings.streetsFile, let data = FileManager.default.contents(atPath: file) else {
            return JSONResponse.response(ByteBuffer(string: #"{"lines":[]}"#))
        }
        return JSONResponse.response(ByteBuffer(data: data))
    }
}
