import Support

/// Something that is given bytes from outside, and what must be true whatever they are.
protocol FuzzTarget: AnyObject, SendableMetatype {
    /// As `deploy/fuzz` calls it, and the folder of its seeds.
    static var name: String { get }
    init()

    /// Takes one input; stops the program when a property does not hold.
    func run(_ input: ByteSlice)
}

/// Every target, in the order of the summary.
let fuzzTargets: [any FuzzTarget.Type] = [
    RawTarget.self, PolylineTarget.self, TripTarget.self, VerdictTarget.self, EtaTarget.self, UpdateTarget.self,
    WarningTarget.self, HeaderTarget.self, StateTarget.self, PipelineTarget.self, RecordingTarget.self,
    RawLineTarget.self, FeedTarget.self,
]
