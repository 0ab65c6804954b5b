/// Driver ids for the names of vehicles in a recording, which may have blanks, slashes or letters beyond ASCII.
///
/// A name that is an id stays as it is. Two names never become one id.
package struct FittedNames {
    private var ids: [String: String] = [:]
    private var used: Set<String> = []

    package init() {}

    /// The id of a name, which is the same each time.
    package mutating func id(of name: String) -> String {
        if let id = ids[name] { return id }
        let fitted = RecordedName.driver(name) ?? "driver"
        var id = fitted
        var number = 1
        while used.contains(id) {
            number += 1
            id = RecordedName.driver(fitted, suffix: "-\(number)")
        }
        used.insert(id)
        ids[name] = id
        return id
    }
}
