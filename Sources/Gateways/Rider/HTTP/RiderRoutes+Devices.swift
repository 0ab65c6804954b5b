import Codec
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PositionWorker
import Redis

/// Registration of phones for a trip's push notifications.
extension RiderRoutes {
    private struct Registration: Decodable {
        let platform: String
        let token: String
        let language: String?
    }

    static let deviceMethods: [HTTPRequest.Method] = [.put, .delete]
    private static let maximumBodyBytes = 4096
    /// Language tag for requests without a language; push-worker has no texts for it and uses its default language.
    private static let undetermined = "und"
    /// Expiry of a trip's devices: long enough for trips booked days ahead; push-worker shortens it at the trip's end.
    private static let deviceLifetime = Duration.seconds(7 * 24 * 3600)

    static func isDevicePath(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        return parts.count == 3 && parts[0] == "trips" && parts[2] == "devices"
    }

    /// `PUT /trips/{id}/devices`: registers a device, or changes its language.
    func register(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let (key, device) = try await device(of: request, context)
        guard try await channels.store.request({ try Self.register(device, under: key, over: $0) }) else {
            throw RequestError(
                .conflict, .tooManyDevices,
                "A trip has at most \(PushDevice.maximumPerTrip) devices; delete one of them first.")
        }
        return Response(status: .noContent)
    }

    /// `DELETE /trips/{id}/devices`: unregisters a device; succeeds if it is not registered.
    func unregister(_ request: Request, _ context: ClientRequestContext) async throws -> Response {
        let (key, device) = try await device(of: request, context)
        try await channels.store.request { connection in _ = try connection.call("HDEL", key, device.field) }
        return Response(status: .noContent)
    }

    /// Adds a device, and removes it again if the trip has too many; registrations at the same time may all fail.
    private static func register(
        _ device: PushDevice, under key: String, over connection: RedisConnection
    ) throws -> Bool {
        var commands = RedisCommands(capacity: 1024)
        commands.add(command: "MULTI")
        commands.add(command: "HSET", [key, device.field, device.language])
        commands.add(command: "HLEN", [key])
        commands.add(command: "PEXPIRE", [key, String(Self.deviceLifetime.wholeMilliseconds)])
        commands.add(command: "EXEC")
        try connection.send(&commands)
        for _ in 0..<4 { _ = try connection.receive() }
        let replies = try connection.receive().elements
        guard replies.count == 3, let added = replies[0].integer, let count = replies[1].integer else {
            throw RedisError(.refused, "Redis returned an unexpected reply to a device registration.")
        }
        guard added == 1, count > PushDevice.maximumPerTrip else { return true }
        try connection.call("HDEL", key, device.field)
        return false
    }

    /// Authorizes a request, and returns the Redis key of the trip's devices and the device in the body.
    private func device(of request: Request, _ context: ClientRequestContext) async throws -> (String, PushDevice) {
        // The scope is required, because riders may share links that contain a token without the scope.
        let claims = try await channels.claims(of: request, scope: "devices")
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
