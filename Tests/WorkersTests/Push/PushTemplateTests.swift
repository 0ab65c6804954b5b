import Foundation
@testable import PushWorker
import Testing

@Suite("Texts of notifications")
struct PushTemplateTests {
    private static let allFacts = PushFacts([
        "driver": "Priya", "color": "blue", "make": "Toyota", "model": "Prius", "plate": "7XYZ123", "minutes": "6",
    ])

    private static func french(_ wordings: String, moment: String = "driver_arrived") -> Data {
        Data(#"{"fr": {"\#(moment)": [\#(wordings)]}}"#.utf8)
    }

    @Test("the text for an accepted trip contains the driver's name and the car")
    func accepted() throws {
        let templates = try PushTemplates(fallback: "en")
        let text = templates.text(.driverAccepted, Self.allFacts, language: "en")
        #expect(text.title == "Priya is on the way")
        #expect(text.body == "Look out for a blue Toyota Prius, 7XYZ123.")
        let short = templates.text(.driverAccepted, PushFacts(["driver": "Priya"]), language: "en")
        #expect(short.body == "Your driver has accepted the trip.")
    }

    @Test(
        "every event type has a text in both languages, with all facts and without facts",
        arguments: PushMoment.allCases, ["en", "de"])
    func complete(moment: PushMoment, language: String) throws {
        let templates = try PushTemplates(fallback: "en")
        for facts in [Self.allFacts, PushFacts()] {
            let text = templates.text(moment, facts, language: language)
            #expect(!text.title.isEmpty && !text.body.isEmpty)
            #expect(!(text.title + text.body).contains { "{}".contains($0) })
        }
    }

    @Test("texts fall back from a region to its language, and then to the default")
    func languages() throws {
        let templates = try PushTemplates(fallback: "en")
        let german = templates.text(.tripCompleted, PushFacts(), language: "de").title
        #expect(german == "Sie sind angekommen")
        #expect(templates.text(.tripCompleted, PushFacts(), language: "de-AT").title == german)
        #expect(templates.text(.tripCompleted, PushFacts(), language: "DE").title == german)
        #expect(templates.text(.tripCompleted, PushFacts(), language: "und").title == "You have arrived")
        let germanFallback = try PushTemplates(fallback: "de")
        #expect(germanFallback.text(.tripCompleted, PushFacts(), language: "und").title == german)
    }

    @Test("if a language has no text for no_driver_found, its text for trip_cancelled is used")
    func substitute() throws {
        let json = Self.french(#"{"title": "Course annulée", "body": ""}"#, moment: "trip_cancelled")
        let templates = try PushTemplates(fallback: "en", json: json)
        #expect(templates.text(.noDriverFound, PushFacts(), language: "fr").title == "Course annulée")
        #expect(templates.text(.noDriverFound, PushFacts(), language: "en").title == "No driver found")
    }

    @Test("texts of a file apply to their language and event type only")
    func file() throws {
        let json = Self.french(
            #"{"title": "{driver} est là", "body": ""}, {"title": "Votre chauffeur est là", "body": ""}"#)
        let templates = try PushTemplates(fallback: "en", json: json)
        #expect(templates.text(.driverArrived, PushFacts(), language: "fr-CA").title == "Votre chauffeur est là")
        #expect(templates.text(.driverArrived, Self.allFacts, language: "fr").title == "Priya est là")
        #expect(templates.text(.tripStarted, PushFacts(), language: "fr").title == "Your trip has started")
    }

    @Test(
        "an invalid file throws an error with a reason",
        arguments: [
            (#"{"title": "{nickname}", "body": ""}"#, "driver_arrived", "{nickname}"),
            (#"{"title": "{driver", "body": ""}"#, "driver_arrived", "brace"),
            (#"{"title": "{driver}", "body": ""}"#, "driver_arrived", "must have no placeholders"),
            (#"{"title": "", "body": ""}"#, "driver_arrived", "title is empty"),
            ("", "driver_arrived", "must have no placeholders"),
            (#"{"title": "x", "body": ""}"#, "driver_vanished", "is not an event type"),
            (#"{"title": 1, "body": ""}"#, "driver_arrived", "it must be"),
            (#"{"title": "x\u0007", "body": ""}"#, "driver_arrived", "a title has the control character U+0007"),
            (#"{"title": "x\ny", "body": ""}"#, "driver_arrived", "a title has the control character U+000A"),
            (#"{"title": "x", "body": "\u001b[31m"}"#, "driver_arrived", "a body has the control character U+001B"),
            (#"{"title": "x", "body": "a\u0085"}"#, "driver_arrived", "a body has the control character U+0085"),
        ])
    func invalidFile(wordings: String, moment: String, reason: String) {
        let error = #expect(throws: PushTemplateError.self) {
            try PushTemplates(fallback: "en", json: Self.french(wordings, moment: moment))
        }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test("a body may have several lines")
    func lines() throws {
        let templates = try PushTemplates(
            fallback: "en", json: Self.french(#"{"title": "x", "body": "first\nsecond"}"#))
        #expect(templates.text(.driverArrived, PushFacts(), language: "fr").body == "first\nsecond")
    }

    @Test("the default language must have all texts")
    func fallback() {
        #expect(throws: PushTemplateError.self) { try PushTemplates(fallback: "fr") }
    }
}
