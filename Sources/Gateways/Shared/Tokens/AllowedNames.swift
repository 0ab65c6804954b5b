/// Which trips, or which routes, a token is for.
package enum AllowedNames: Sendable, Hashable {
    /// The claim lists `*`.
    case all
    case only(Set<String>)

    package static let none = AllowedNames.only([])

    package init(_ names: some Sequence<String>) {
        let names = Set(names)
        self = names.contains("*") ? .all : .only(names)
    }

    package func contains(_ name: String) -> Bool {
        switch self {
        case .all: true
        case .only(let names): names.contains(name)
        }
    }
}
