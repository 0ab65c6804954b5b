/// Topic and group names with the environment's prefix.
package struct TopicNames: Sendable, Hashable {
    package var prefix: String

    package init(prefix: String = "") { self.prefix = prefix }

    /// The full name of the pipeline's topic `name`.
    package func full(_ name: String) -> String { prefix + name }

    /// The full name of a worker's consumer group; has the prefix, so that environments do not share groups.
    package func group(_ name: String) -> String { "\(prefix)sightline.\(name)" }
}
