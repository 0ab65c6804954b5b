import TestSupport

@testable import Codec
@testable import Domain

/// Random trips and arrival times, with numbers at the written precision.
enum TripSamples {
    static func trip(_ generator: inout SeededGenerator) -> TripMessage {
        var trip = TripMessage(
            tripID: generator.identifier(), driverID: generator.identifier(),
            kind: one(of: TripMessage.Kind.allCases, &generator, .ride), state: state(&generator))
        trip.riderID = generator.maybe { $0.text() }
        trip.triggeredBy = generator.maybe { $0.text() }
        trip.changedAt = generator.maybe { $0.time() }
        trip.version = generator.maybe { .random(in: 0 ... .max, using: &$0) }
        trip.stops = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            TripMessage.Stop(
                id: generator.text(), kind: one(of: TripMessage.Stop.Kind.allCases, &generator, .stop),
                coordinate: coordinate(&generator), scheduledAt: generator.maybe { $0.time() })
        }
        trip.route = generator.maybe { route(&$0) }
        trip.routeID = generator.maybe { $0.identifier() }
        trip.vehicleNumber = generator.maybe { $0.text() }
        trip.queuePosition = Int.random(in: 0...1, using: &generator)
        trip.contextJSON = generator.maybe { _ in "{\"reason\":\"late\",\"by\":[1,null]}" }
        trip.factsJSON = generator.maybe { _ in facts }
        trip.stage = generator.maybe { _ in stage(of: trip.state) } ?? nil
        return trip
    }

    static let facts = #"{"driver":{"id":"x","first_name":"Ann","vehicle":{"color":"red"}},"fare":{},"context":{}}"#

    private static func stage(of state: TripState) -> TripStage? {
        switch state {
        case .accepted: .driverEnRoute
        case .inProgress: .arrivedDestination
        case .requested, .arrived, .completed, .cancelled: nil
        }
    }

    private static func route(_ generator: inout SeededGenerator) -> TripMessage.Route {
        let points = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
            Coordinate(
                latitude: generator.decimal(in: -90...90, digits: 5),
                longitude: generator.decimal(in: -180...180, digits: 5))
        }
        return TripMessage.Route(
            polyline: Polyline.encode(points, precision: 5), points: points,
            distanceMeters: generator.maybe { $0.decimal(in: 0...100_000, digits: 1) },
            durationSeconds: generator.maybe { $0.decimal(in: 0...10_000, digits: 1) })
    }

    static func eta(_ generator: inout SeededGenerator) -> TripEta {
        var eta = TripEta(
            tripID: generator.identifier(), driverID: generator.identifier(),
            kind: one(of: TripMessage.Kind.allCases, &generator, .ride), state: state(&generator),
            computedAt: generator.time())
        eta.stage = generator.maybe { one(of: TripStage.allCases, &$0, .driverEnRoute) }
        eta.riderID = generator.maybe { $0.text() }
        eta.routeID = generator.maybe { $0.identifier() }
        eta.vehicleNumber = generator.maybe { $0.text() }
        eta.version = generator.maybe { .random(in: 0 ... .max, using: &$0) }
        eta.change = generator.maybe { change(&$0) }
        eta.position = generator.maybe { position(&$0) }
        eta.progressMeters = generator.maybe { $0.decimal(in: 0...100_000, digits: 1) }
        eta.isOffRoute = Bool.random(using: &generator)
        eta.offRouteMeters = generator.maybe { $0.decimal(in: 0...10_000, digits: 1) }
        eta.isHalted = Bool.random(using: &generator)
        eta.isSilent = Bool.random(using: &generator)
        eta.isStale = Bool.random(using: &generator)
        eta.isProvisional = Bool.random(using: &generator)
        eta.isDisplaced = Bool.random(using: &generator)
        eta.traffic = one(of: TripEta.Traffic.allCases, &generator, .unknown)
        eta.occupancyPercent = generator.maybe { .random(in: 0...200, using: &$0) }
        eta.detectedArrivalStopID = generator.maybe { $0.text() }
        eta.nextStopID = generator.maybe { $0.text() }
        eta.passedStopID = generator.maybe { $0.text() }
        eta.passedAt = generator.maybe { $0.time() }
        eta.lastStopID = generator.maybe { $0.text() }
        eta.stops = (0..<Int.random(in: 0...5, using: &generator)).map { _ in stop(&generator) }
        eta.drivenMeters = generator.maybe { $0.decimal(in: 0...100_000, digits: 1) }
        eta.plannedMeters = generator.maybe { $0.decimal(in: 0...100_000, digits: 1) }
        eta.snappedMeters = generator.maybe { $0.decimal(in: 0...100_000, digits: 1) }
        eta.fareChecks = FareChecks(rawValue: .random(in: 0...3, using: &generator))
        return eta
    }

    private static func change(_ generator: inout SeededGenerator) -> TripEta.Change {
        TripEta.Change(
            previousState: generator.maybe { state(&$0) }, triggeredBy: generator.maybe { $0.text() },
            changedAt: generator.time(), routePolyline: generator.maybe { _ in "_p~iF~ps|U\\`@" },
            contextJSON: generator.maybe { _ in "{\"reason\":\"late\",\"by\":[1,null]}" },
            factsJSON: generator.maybe { _ in facts })
    }

    private static func position(_ generator: inout SeededGenerator) -> TripEta.Position {
        TripEta.Position(
            coordinate: coordinate(&generator), headingDegrees: generator.maybe { $0.decimal(in: 0...359, digits: 2) },
            speedMetersPerSecond: generator.decimal(in: 0...60, digits: 2),
            accuracyMeters: generator.decimal(in: 0...500, digits: 2), fixedAt: generator.time())
    }

    static func stop(
        _ generator: inout SeededGenerator, id: String? = nil, kind: TripMessage.Stop.Kind? = nil
    ) -> TripEta.Stop {
        var stop = TripEta.Stop(
            id: id ?? generator.text(), kind: kind ?? one(of: TripMessage.Stop.Kind.allCases, &generator, .stop),
            status: one(of: TripEta.StopStatus.allCases, &generator, .valid),
            delay: one(of: TripEta.Delay.allCases, &generator, .unknown))
        stop.seconds = generator.maybe { .random(in: -1...7200, using: &$0) }
        stop.minSeconds = generator.maybe { .random(in: 0...7200, using: &$0) }
        stop.maxSeconds = generator.maybe { .random(in: 0...7200, using: &$0) }
        stop.confidence = generator.maybe { one(of: Confidence.allCases, &$0, .low) }
        stop.distanceMeters = generator.maybe { $0.decimal(in: 0...100_000, digits: 1) }
        stop.arrivesAt = generator.maybe { $0.time() }
        stop.scheduledAt = generator.maybe { $0.time() }
        stop.delaySeconds = generator.maybe { .random(in: -7200...7200, using: &$0) }
        return stop
    }

    static func vehicle(_ generator: inout SeededGenerator) -> RiderUpdate.VehiclePosition {
        var vehicle = RiderUpdate.VehiclePosition(
            streamID: generator.identifier(), vehicleNumber: generator.text(), coordinate: coordinate(&generator),
            nextStopID: generator.text(), lastStopID: generator.text(), at: generator.time())
        vehicle.etaSeconds = generator.maybe { .random(in: -1...7200, using: &$0) }
        vehicle.minEtaSeconds = generator.maybe { .random(in: 0...7200, using: &$0) }
        vehicle.maxEtaSeconds = generator.maybe { .random(in: 0...7200, using: &$0) }
        vehicle.distanceMeters = generator.maybe { .random(in: 0...100_000, using: &$0) }
        vehicle.isHalted = Bool.random(using: &generator)
        vehicle.passedStopID = generator.maybe { $0.text() }
        vehicle.passedAt = generator.maybe { $0.time() }
        vehicle.bearingDegrees = generator.maybe { .random(in: 0...359, using: &$0) }
        vehicle.isStale = Bool.random(using: &generator)
        vehicle.staleSeconds = .random(in: 0...7200, using: &generator)
        vehicle.occupancy = one(of: RiderUpdate.VehiclePosition.Occupancy.allCases, &generator, .unknown)
        return vehicle
    }

    static func coordinate(_ generator: inout SeededGenerator) -> Coordinate {
        Coordinate(
            latitude: generator.decimal(in: -90...90, digits: 7),
            longitude: generator.decimal(in: -180...180, digits: 7))
    }

    static func state(_ generator: inout SeededGenerator) -> TripState {
        one(of: TripState.allCases, &generator, .requested)
    }

    static func one<Value>(of values: [Value], _ generator: inout SeededGenerator, _ fallback: Value) -> Value {
        values.randomElement(using: &generator) ?? fallback
    }
}
