import Foundation
import Model

/// The phone of a rider who follows a ride of the demo: what push-worker would send to it.
///
/// push-worker runs dry in the demo: it writes each request to its log as a line of JSON.
struct DemoPhone {
    /// A text that the phone would show.
    struct Notification: Equatable, Codable {
        var title: String
        var body: String
    }

    /// One of Apple's has 64 such digits.
    private static let deviceToken = String(repeating: "0a", count: 32)

    let tripID: String
    /// push-worker's log.
    let log: String

    /// Registers the phone for a trip at the gateway of the live map, if that is open.
    ///
    /// - Returns: `nil` where the gateway does not take it.
    init?(trip: String, map: HTTPEndpoint, log: String) {
        struct Grant: Decodable { let token: String }
        guard let page = map.get("/map/token"),
            let grant = try? JSONDecoder().decode(Grant.self, from: Data(page.utf8)),
            let answer = map.answer(
                "/trips/\(trip)/devices", method: "PUT",
                json: #"{"platform":"apns","token":"\#(Self.deviceToken)","language":"en"}"#, token: grant.token),
            answer.status == 204
        else { return nil }
        self.init(tripID: trip, log: log)
    }

    init(tripID: String, log: String) {
        self.tripID = tripID
        self.log = log
    }

    /// What the phone would have shown so far; a notification that was sent twice is shown once.
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

    /// How many notifications a ride has made that came to `state` and was not cancelled.
    static func expected(by state: TripState) -> Int {
        switch state {
        case .requested, .cancelled: 0
        case .accepted: 1
        case .arrived: 2
        case .inProgress: 3
        case .completed: 4
        }
    }

    /// A line of the log that is a request to Apple's service.
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
