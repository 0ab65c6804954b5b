/// Topic names as the cluster knows them: the pipeline's own with the environment's prefix in front.
package struct TopicNames: Sendable, Hashable {
    /// Put in front of every name as it is; empty for none.
    package var prefix: String

    package init(prefix: String = "") { self.prefix = prefix }

    /// The full name of the pipeline's topic `name`.
    package func full(_ name: String) -> String { prefix + name }

    /// The full name of a worker's consumer group.
    ///
    /// It carries the prefix too, so that environments on one cluster do not share groups.
    package func group(_ name: String) -> String { "\(prefix)sightline.\(name)" }
}
