import Domain
import Foundation

/// The phone of a rider in the demo, whose notifications are read from the log of push-worker.
///
/// In the demo, push-worker does not send requests, but writes each one to its log as a line of JSON.
struct DemoPhone {
    struct Notification: Equatable, Codable {
        var title: String
        var body: String
    }

    /// An APNs token has 64 hexadecimal digits.
    private static let deviceToken = String(repeating: "0a", count: 32)

    let tripID: String
    /// Path of push-worker's log.
    let log: String

    /// Registers the phone for a trip; returns `nil` if the gateway refuses or does not respond.
    init?(trip: String, map: HTTPEndpoint, log: String) {
        struct Grant: Decodable { let token: String }
        guard let page = map.get("/map/token"),
            let grant = try? JSONDecoder().decode(Grant.self, from: Data(page.utf8)),
            let response = map.request(
                "/trips/\(trip)/devices", method: "PUT",
                json: #"{"platform":"apns","token":"\#(Self.deviceToken)","language":"en"}"#, token: grant.token),
            response.status == 204
        else { return nil }
        self.init(tripID: trip, log: log)
    }

    init(tripID: String, log: String) {
        self.tripID = tripID
        self.log = log
    }

    /// The notifications so far, without repetitions.
    var shown: [Notification] {
        guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return [] }
        var notifications: [Notification] = []
        var seen: Set<String> = []
        let decoder = JSONDecoder()
        for line in text.split(separator: "\n") where line.contains(tripID) {
            guard let body = try? decoder.decode(Line.self, from: Data(line.utf8)).body, body.trip == tripID,
                let alert = body.aps.alert, seen.insert(body.event).inserted
            else { continue }
            notifications.append(alert)
        }
        return notifications
    }

    /// Returns the number of notifications of a ride up to `state`; 0 for a cancelled ride, for which it varies.
    static func expected(by state: TripState) -> Int {
        switch state {
        case .requested, .cancelled: 0
        case .accepted: 1
        case .arrived: 2
        case .inProgress: 3
        case .completed: 4
        }
    }

    /// A log line with a request to APNs.
    private struct Line: Decodable {
        struct Body: Decodable {
            struct Aps: Decodable {
                let alert: Notification?
            }
            let aps: Aps
            let trip: String
            let event: String

            enum CodingKeys: String, CodingKey {
                case aps
                case trip = "trip_id"
                case event = "event_id"
            }
        }
        let body: Body
    }
}
