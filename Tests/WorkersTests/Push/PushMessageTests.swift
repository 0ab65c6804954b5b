import Testing

@testable import Codec
@testable import Domain
@testable import PushWorker
@testable import Support

@Suite("Push messages of records")
struct PushMessageTests {
    private static let at = Timestamp(milliseconds: 1_741_977_135_123)
    private static let facts =
        #"{"driver":{"first_name":"Priya\n","vehicle":{"color":"blue","model":"Prius","year":3}}}"#

    private static func message(_ update: RiderUpdate, channel: StaticString = "trip:T1") -> PushMessage? {
        let event = EventID(partition: 3, offset: 17).withMessage(1)
        return PushMessage(
            RiderUpdateRecord(eventID: event, channel: ByteSlice(channel), update: update), event: event, at: at)
    }

    private static func notification(
        _ kind: RiderUpdate.Notification.Kind, by: String? = nil, change: Int? = nil, facts: String? = nil
    ) -> RiderUpdate {
        .notification(
            RiderUpdate.Notification(
                kind: kind, priority: .high, etaChangeSeconds: change, triggeredBy: by, factsJSON: facts))
    }

    @Test("an alert has trip, event and facts for its text; numbers and line breaks of facts are omitted")
    func alert() {
        let message = Self.message(Self.notification(.driverAccepted, by: "DRIVER", facts: Self.facts))
        #expect(
            message
                == PushMessage(
                    tripID: "T1", eventID: "3-17/1",
                    content: .alert(
                        .driverAccepted, PushFacts(["driver": "Priya", "color": "blue", "model": "Prius"]),
                        isUrgent: true), at: Self.at))
        #expect(message?.eventType == "driver_accepted")
    }

    @Test("the vehicle may be at the top level of the facts, and unreadable facts are omitted")
    func otherFacts() {
        let topLevel = Self.message(
            Self.notification(.driverArrived, facts: #"{"driver":{"name":"Priya"},"vehicle":{"color":"red"}}"#))
        #expect(
            topLevel?.content == .alert(.driverArrived, PushFacts(["driver": "Priya", "color": "red"]), isUrgent: true))
        for facts in ["[]", "{", #"{"driver":7}"#, #"{"driver":{"first_name":"\u0007"}}"#] {
            let message = Self.message(Self.notification(.driverArrived, facts: facts))
            #expect(message?.content == .alert(.driverArrived, PushFacts(), isUrgent: true), "\(facts)")
        }
    }

    @Test("a rider who cancelled gets no alert")
    func cancelled() {
        func eventType(_ by: String?) -> String? { Self.message(Self.notification(.tripCancelled, by: by))?.eventType }
        #expect(eventType("DRIVER") == "driver_cancelled")
        #expect(eventType("SYSTEM") == "trip_cancelled")
        #expect(eventType(nil) == "trip_cancelled")
        #expect(eventType("RIDER") == nil)
    }

    @Test("an alert about a moved arrival has its direction and rounded minutes")
    func moved() {
        func content(_ seconds: Int) -> PushMessage.Content? {
            Self.message(Self.notification(.etaMoved, change: seconds))?.content
        }
        #expect(content(389) == .alert(.etaLater, PushFacts(["minutes": "6"]), isUrgent: true))
        #expect(content(390) == .alert(.etaLater, PushFacts(["minutes": "7"]), isUrgent: true))
        #expect(content(-301) == .alert(.etaSooner, PushFacts(["minutes": "5"]), isUrgent: true))
    }

    @Test("a change of state becomes a background refresh; an unchanged state causes no message")
    func stateChange() {
        func change(_ from: TripState?, _ to: TripState) -> PushMessage? {
            Self.message(.stateChanged(RiderUpdate.StateChange(previousState: from, state: to, changedAt: Self.at)))
        }
        #expect(change(.accepted, .arrived)?.content == .refresh(state: "ARRIVED"))
        #expect(change(nil, .requested)?.content == .refresh(state: "REQUESTED"))
        #expect(change(.accepted, .arrived)?.eventType == "trip_state_changed")
        #expect(change(.accepted, .accepted) == nil)
    }

    @Test("a route's updates cause no push message")
    func routes() {
        #expect(Self.message(Self.notification(.driverArrived), channel: "route:R1") == nil)
    }
}
