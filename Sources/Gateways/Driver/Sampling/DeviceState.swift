import Domain
import Support

/// Trip and app state that a device sends with an HTTP request.
struct DeviceState: Sendable {
    enum Trip: Sendable, Equatable {
        case unreported, none
        case state(TripState)
    }

    var trip = Trip.unreported
    /// `nil` if not reported.
    var app: AppState?

    /// Returns the conditions after locations; `trips` are the driver's trips according to ``TripTracker``.
    /// - Returns: `nil` if `trips` is `nil`, and the device sent neither a trip state nor an app state.
    func conditions(after locations: DeviceLocations, _ trips: KnownTrips?, at time: Timestamp) -> SamplingConditions? {
        guard trips != nil || trip != .unreported || app != nil else { return nil }
        var activity = activity(trips)
        activity.record(locations, at: time)
        return activity.conditions(at: time)
    }

    /// Returns the conditions after a `trip_status` that is not in the topic `trips` yet.
    func conditions(after status: TripMessage, _ trips: KnownTrips?, at time: Timestamp) -> SamplingConditions {
        var activity = activity(trips?.applying(tripID: status.tripID, status.state))
        activity.record(tripID: status.tripID, status.state)
        return activity.conditions(at: time)
    }

    private func activity(_ trips: KnownTrips?) -> DriverActivity {
        var state: TripState?
        if case .state(let reported) = trip { state = reported }
        var activity = DriverActivity(state)
        activity.isInBackground = app == .background
        if let trips { activity.apply(trips) }
        return activity
    }
}

/// Whether the device's app is visible.
enum AppState: String {
    case foreground, background

    /// Returns the state with this name, in upper or lower case; `nil` for any other text.
    static func named(_ text: String) -> AppState? { AppState(rawValue: text.lowercased()) }
}

extension TripState {
    /// Returns the state with this name, as spelled in the topic `trips`; `nil` for any other text.
    static func named(_ text: String) -> TripState? { ByteSlice.withBytes(of: text) { find(wire: $0)?.state } }
}
