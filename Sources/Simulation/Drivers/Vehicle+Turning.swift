extension Vehicle {
    /// The way from where the vehicle is to a crossing; a vehicle under way first reaches the end of its street.
    func turn(to crossing: Int, world: inout SimulationContext) -> DrivePath {
        guard let (first, second) = street else { return world.path(from: nextCrossing, to: crossing) }
        return world.path(on: first, second, to: crossing)
    }
}
