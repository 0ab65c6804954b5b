extension ArrivalReport {
    package var plots: [String: LinePlot] {
        var plots: [String: LinePlot] = [:]
        for summary in recordings where summary.arrivals > 0 && !summary.isLine {
            let name = String(summary.name.map { $0.isLetter || $0.isNumber ? $0 : "-" })
            plots["eta-error-\(name)"] = errorPlot(summary)
            plots["eta-coverage-\(name)"] = coveragePlot(summary)
            if !summary.frontier.isEmpty { plots["eta-frontier-\(name)"] = frontierPlot(summary) }
        }
        return plots
    }

    private func errorPlot(_ summary: ArrivalSummary) -> LinePlot {
        let series = ArrivalMethod.allCases.map { method in
            LinePlot.Series(
                name: method.name,
                points: summary.buckets.compactMap { bucket in
                    bucket.meanAbsoluteSeconds[method.rawValue].map { LinePlot.Point(x: Self.middle(bucket), y: $0) }
                })
        }
        return LinePlot(
            title: "Mean absolute error of arrival times, \(summary.name)", x: .init("minutes to arrival"),
            y: .init("seconds"), series: series.filter { !$0.points.isEmpty })
    }

    private func coveragePlot(_ summary: ArrivalSummary) -> LinePlot {
        let measured = summary.buckets.compactMap { bucket in
            bucket.interval.coverage.map { LinePlot.Point(x: Self.middle(bucket), y: $0 * 100) }
        }
        let wanted = summary.buckets.map { LinePlot.Point(x: Self.middle($0), y: 80) }
        return LinePlot(
            title: "Arrivals within the 80 % interval, \(summary.name)", x: .init("minutes to arrival"),
            y: .init("per cent", bounds: 0...100),
            series: [.init(name: "measured", points: measured), .init(name: "wanted", points: wanted)])
    }

    private static func middle(_ bucket: ArrivalSummary.Bucket) -> Double {
        bucket.minutes.reduce(0, +) / Double(max(1, bucket.minutes.count))
    }
}
