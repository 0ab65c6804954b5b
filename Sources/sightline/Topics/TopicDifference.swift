/// A broker setting of a topic that is otherwise than the pipeline creates it.
struct TopicDifference: Equatable, CustomStringConvertible {
    var setting: String
    var found: String
    var wanted: String

    var description: String { "\(setting) is \(found), not \(wanted); it is left as it is" }

    /// The settings that differ, by name.
    ///
    /// A setting that the broker does not know is none of them: it has no value to change.
    static func find(wanted: [String: String], found: [String: String]) -> [TopicDifference] {
        wanted.sorted { $0.key < $1.key }.compactMap { setting, wanted in
            guard let value = found[setting], value != wanted else { return nil }
            return TopicDifference(setting: setting, found: value, wanted: wanted)
        }
    }
}
