/// Programs that a fleet runs, and what they are told because of who works beside them.
struct Build: Equatable {
    /// The folder of another build's programs; `nil` for those built together with this one.
    var programs: String?
    /// Beside an older build: states are written as that one reads them.
    var writesPreviousStates = false

    /// This build, alone.
    static let own = Build()
    /// This build while workers of an older one may take over from it.
    static let careful = Build(writesPreviousStates: true)

    /// Settings of workers of this build alone; an older one ends at settings that it does not know.
    var settings: [String: String] { writesPreviousStates ? ["SIGHTLINE_WRITE_PREVIOUS_STATES": "true"] : [:] }

    /// In words, for the story of a fault.
    var name: String {
        programs ?? (writesPreviousStates ? "this build with states for the older one" : "this build")
    }
}
