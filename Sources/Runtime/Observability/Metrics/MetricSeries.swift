/// One time series: a metric with one set of label values.
package protocol MetricSeries: AnyObject, Sendable {
    /// Appends the samples; `labels` are already escaped and have no braces.
    func write(name: String, labels: String, into output: inout PrometheusText)
}
