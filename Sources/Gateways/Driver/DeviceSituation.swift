import Model
import Support

/// What a request says of its device besides the message, for the advice in its answer.
struct DeviceSituation: Sendable {
    /// Where the driver's trip is, as the device says.
    enum Trip: Sendable, Equatable {
        case notSaid, none
        case state(TripState)
    }

    var trip = Trip.notSaid
    /// `nil` where the device does not say it.
    var app: AppState?

    /// What the advice after locations depends on.
    ///
    /// `trips`: what the pipeline knows of the driver.
    /// - Returns: `nil` where neither the pipeline nor the device says where the driver's trip is.
    func conditions(after locations: DeviceLocations, _ trips: KnownTrips?, at time: Timestamp) -> SamplingConditions? {
        guard trips != nil || trip != .notSaid || app != nil else { return nil }
        var activity = activity(trips)
        activity.note(locations, at: time)
        return activity.conditions(at: time)
    }

    /// What the advice after a `trip_status` depends on: the trips with its step, which the pipeline has yet to follow.
    func conditions(after status: TripMessage, _ trips: KnownTrips?, at time: Timestamp) -> SamplingConditions {
        var activity = activity(trips?.following(tripID: status.tripID, status.state))
        activity.note(tripID: status.tripID, status.state)
        return activity.conditions(at: time)
    }

    private func activity(_ trips: KnownTrips?) -> DriverActivity {
        var state: TripState?
        if case .state(let said) = trip { state = said }
        var activity = DriverActivity(state)
        activity.isInBackground = app == .background
        if let trips { activity.follow(trips) }
        return activity
    }
}
