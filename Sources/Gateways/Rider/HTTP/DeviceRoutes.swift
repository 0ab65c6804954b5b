import Codec
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Redis

/// The requests by which a rider's app has its phone told of a trip, or no more.
struct DeviceRoutes: Sendable {
    /// What the body of a request names.
    private struct Registration: Decodable {
        let platform: String
        let token: String
        let language: String?
    }

    static let methods: [HTTPRequest.Method] = [.put, .delete]
    /// The scope of a token that may register devices; the right to watch a trip may be shared with others.
    static let scope = "devices"
    private static let path: RouterPath = "trips/{id}/devices"
    private static let maximumBodyBytes = 4096
    /// The language of a phone that names none: a tag for which there are no texts, so that the worker's default counts.
    private static let undetermined = "und"
    /// For trips that are booked some days ahead; push-worker shortens it at the trip's end.
    private static let lifetime = Duration.seconds(7 * 24 * 3600)

    let channels: ChannelRequests
    /// What comes before the keys of Redis.
    let keyPrefix: String

    func add(to router: Router<ClientRequestContext>) {
        router.put(Self.path) { request, context in try await register(request, context) }
        router.delete(Self.path) { request, context in try await forget(request, context) }
    }

    /// Whether requests of a path are about devices.
    static func isDevicePath(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return parts.count == 3 && parts[0] == "trips" && parts[2] == "devices"
    }

    /// `PUT /trips/{id}/devices`: registers a device, or changes its language.
    private func register(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let (key, device) = try await device(of: request, context)
        let isRegistered = try await ask { connection in
            try Self.register(device, under: key, over: connection)
        }
        guard isRegistered else {
            throw RequestError(
                .conflict, .tooManyDevices,
                "A trip has at most \(PushDevice.maximumPerTrip) devices; delete one of them first.")
        }
        return Response(status: .noContent)
    }

    /// `DELETE /trips/{id}/devices`: forgets a device; one that is not registered is no error.
    private func forget(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let (key, device) = try await device(of: request, context)
        try await ask { connection in _ = try connection.call("HDEL", key, device.field) }
        return Response(status: .noContent)
    }

    private func ask<Answer: Sendable>(
        _ body: @escaping @Sendable (RedisConnection) throws -> Answer
    ) async throws -> Answer {
        do { return try await channels.desk.ask(body) } catch { throw RequestError.storeAway }
    }

    /// Adds a device, and takes it out again where it is one too many: of several at once all may be refused.
    private static func register(
        _ device: PushDevice, under key: String, over connection: RedisConnection
    ) throws -> Bool {
        var commands = RedisCommands(capacity: 1024)
        commands.begin("MULTI", arguments: 0)
        commands.begin("HSET", arguments: 3)
        commands.add(key)
        commands.add(device.field)
        commands.add(device.language)
        commands.begin("HLEN", arguments: 1)
        commands.add(key)
        commands.begin("PEXPIRE", arguments: 2)
        commands.add(key)
        commands.add(Self.lifetime.wholeMilliseconds)
        commands.begin("EXEC", arguments: 0)
        try connection.send(&commands)
        for _ in 0..<4 { _ = try connection.receive() }
        let answers = try connection.receive().elements
        guard answers.count == 3, let added = answers[0].integer, let count = answers[1].integer else {
            throw RedisError(.refused, "Redis answered a registration with something else.")
        }
        guard added == 1, count > PushDevice.maximumPerTrip else { return true }
        try connection.call("HDEL", key, device.field)
        return false
    }

    /// The key of the trip's devices, where the token may register devices for it, and the device that the body names.
    private func device(of request: Request, _ context: ClientRequestContext) async throws -> (String, PushDevice) {
        let claims = try await channels.admission.claims(of: request)
        guard claims.has(scope: Self.scope) else {
            throw RequestError(.forbidden, .notAllowed, "The token does not have the scope \(Self.scope).")
        }
        let trip = try ChannelRequests.permitted(.trip, ChannelRequests.pathID(context), by: claims)
        let body = try await RequestBody.read(
            request, atMost: Self.maximumBodyBytes,
            tooLarge: "A registration has at most \(Self.maximumBodyBytes) bytes.")
        guard let registration = try? JSONDecoder().decode(Registration.self, from: Data(body.readableBytesView)),
            let platform = PushPlatform(rawValue: registration.platform),
            let device = PushDevice(
                platform: platform, token: registration.token,
                language: registration.language ?? Self.undetermined)
        else {
            throw RequestError(
                .badRequest, .invalidMessage,
                "The body must be {\"platform\": \"apns\" or \"fcm\", \"token\": the device's token, \"language\": a tag "
                    + "such as de}.")
        }
        return (PushDevice.key(prefix: keyPrefix, trip: trip.id), device)
    }
}
