import Domain
import Support

/// State of a device as sent with a request, for the advice in the response.
struct DeviceState: Sendable {
    enum Trip: Sendable, Equatable {
        case unreported, none
        case state(TripState)
    }

    var trip = Trip.unreported
    /// `nil` if not reported.
    var app: AppState?

    /// Returns the conditions after locations; `trips` are the driver's trips of the pipeline.
    /// - Returns: `nil` if the state of the driver's trip is unknown to the pipeline and the device reports neither it
    ///   nor its app state.
    func conditions(after locations: DeviceLocations, _ trips: KnownTrips?, at time: Timestamp) -> SamplingConditions? {
        guard trips != nil || trip != .unreported || app != nil else { return nil }
        var activity = activity(trips)
        activity.record(locations, at: time)
        return activity.conditions(at: time)
    }

    /// Returns the conditions after a `trip_status`, which the pipeline has not applied yet.
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

    /// Returns the state of a case-insensitive name; `nil` for any other text.
    static func named(_ text: String) -> AppState? { AppState(rawValue: text.lowercased()) }
}

extension TripState {
    /// Returns the state of a name as spelled in `trips`; `nil` for any other text.
    static func named(_ text: String) -> TripState? { ByteSlice.withBytes(of: text) { find(wire: $0)?.state } }
}
