import Foundation
import Testing

@testable import Evaluation

@Suite("Plots")
struct LinePlotSVGTests {
    private typealias Point = LinePlot.Point

    private func plot(_ series: [LinePlot.Series], title: String = "Errors") -> LinePlot {
        LinePlot(title: title, x: .init("time (s)"), y: .init("error (m)"), series: series)
    }

    @Test("a plot is well-formed XML without scripts, with its words escaped")
    func wellFormed() throws {
        let name = "<script>alert(\"1\")</script> & 'more' \u{1}"
        let svg = plot([.init(name: name, points: [Point(x: 0, y: 1), Point(x: 2, y: 3)])], title: name).svg()
        #expect(!svg.contains("<script"))
        #expect(svg.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39; \u{fffd}"))
        // A tag for every opening bracket, and no bare ampersand.
        #expect(svg.count { $0 == "<" } == svg.count { $0 == ">" })
        #expect(svg.ranges(of: "&").count == svg.ranges(of: /&(amp|lt|gt|quot|#39);/).count)
    }

    @Test("the same plot is the same text, with a digit behind the point at most")
    func deterministic() {
        let points = (0...500).map { Point(x: Double($0) / 7, y: 1 / (1 + Double($0))) }
        let plot = plot([.init(name: "a", points: points)])
        #expect(plot.svg() == plot.svg())
        #expect(plot.svg().ranges(of: /d="[^"]*\.\d\d/).isEmpty)
    }

    @Test("it has a background of its own under everything, and a title for readers' tools")
    func background() throws {
        let svg = plot([]).svg()
        let background = try #require(svg.firstRange(of: "<rect width=\"720\""))
        let first = try #require(svg.firstRange(of: "<path"))
        #expect(background.lowerBound < first.lowerBound)
        #expect(svg.contains("fill=\"#ffffff\""))
        #expect(svg.contains("<title>Errors</title>"))
    }

    @Test("nothing to show is said")
    func empty() {
        #expect(plot([]).svg().contains(">no data<"))
        let svg = plot([.init(name: "ours", points: [])]).svg()
        #expect(svg.contains(">no data<"))
        #expect(svg.contains(">ours (no data)<"))
        #expect(plot([.init(name: "x", points: [Point(x: .nan, y: .infinity)])]).svg().contains(">no data<"))
    }

    @Test("a single point is a mark")
    func single() {
        let svg = plot([.init(name: "ours", points: [Point(x: 3, y: 4)])]).svg()
        #expect(!svg.contains("no data"))
        #expect(svg.ranges(of: PlotInk.ofSeries(0).mark).count == 2, "One in the plot and one in the legend.")
    }

    @Test("marks stand for points, a line joins them")
    func styles() {
        let points = (0..<50).map { Point(x: Double($0), y: Double($0 * $0)) }
        let stroke = "stroke=\"\(PlotInk.ofSeries(0).color)\""
        let line = plot([.init(name: "a", points: points)]).svg()
        #expect(line.contains(stroke))
        #expect(!line.contains(PlotInk.ofSeries(0).mark))
        let marks = plot([.init(name: "a", points: points, style: .markers)]).svg()
        #expect(!marks.contains(stroke))
        #expect(marks.ranges(of: PlotInk.ofSeries(0).mark).count == 51)
    }

    @Test("a reference takes no colour from the others and lies behind them")
    func reference() throws {
        let line = [Point(x: 0, y: 0), Point(x: 1, y: 1)]
        let svg = plot([
            .init(name: "target", points: line, style: .reference), .init(name: "ours", points: line),
        ]).svg()
        let target = try #require(svg.firstRange(of: PlotInk.reference.color))
        let ours = try #require(svg.firstRange(of: PlotInk.ofSeries(0).color))
        #expect(target.lowerBound < ours.lowerBound)
        #expect(!svg.contains(PlotInk.ofSeries(1).color))
    }

    @Test("no two of twenty series look the same, and neighbours differ in colour, dashes and mark")
    func inks() {
        let inks = (0..<20).map(PlotInk.ofSeries)
        #expect(Set(inks.map { "\($0.color) \($0.dashes) \($0.mark)" }).count == 20)
        for (one, next) in zip(inks, inks.dropFirst()) {
            #expect(one.color != next.color)
            #expect(one.dashes != next.dashes)
            #expect(one.mark != next.mark)
        }
    }

    @Test("the legend is under the plot, and goes on in a next row where it is wide")
    func legend() throws {
        let series = (0..<9).map { LinePlot.Series(name: "series with a long name \($0)", points: [Point(x: 0, y: 0)]) }
        let heights = try [plot(Array(series.prefix(1))), plot(series)].map { plot in
            let size = try #require(plot.svg().firstMatch(of: /viewBox="0 0 720 ([0-9.]+)"/))
            return try #require(Double(size.1))
        }
        #expect(heights[1] == heights[0] + 80)
        let ends = plot(series).svg().matches(of: /<text x="([0-9.]+)"[^>]*>(series[^<]*)</).compactMap { match in
            Double(match.1).map { $0 + PlotText.width(String(match.2), size: PlotDrawing.fontSize) }
        }
        #expect(ends.count == 9)
        #expect(ends.allSatisfy { $0 <= PlotDrawing.pictureWidth })
    }
}
