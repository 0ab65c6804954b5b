import Testing

@testable import Evaluation

@Suite("Lines of plots")
struct PlotLineTests {
    private typealias Point = LinePlot.Point

    private func pieces(_ points: [Point?]) -> [[Point]] { PlotLine(points, width: 100, height: 50).pieces }

    @Test("a line is cut at the edge of the frame and continues at the point of its return")
    func clipping() {
        let line = pieces([
            Point(x: -10, y: 10), Point(x: 10, y: 10), Point(x: 10, y: 60), Point(x: 20, y: 60), Point(x: 20, y: 40),
        ])
        #expect(
            line == [
                [Point(x: 0, y: 10), Point(x: 10, y: 10), Point(x: 10, y: 50)],
                [Point(x: 20, y: 50), Point(x: 20, y: 40)],
            ])
    }

    @Test("a line that is outside all the time is none, one that only passes is cut on both sides")
    func passing() {
        #expect(pieces([Point(x: -1, y: 0), Point(x: -1, y: 50)]).isEmpty)
        #expect(pieces([Point(x: -10, y: 60), Point(x: -60, y: 10)]).isEmpty)
        #expect(pieces([Point(x: -50, y: 25), Point(x: 150, y: 25)]) == [[Point(x: 0, y: 25), Point(x: 100, y: 25)]])
    }

    @Test("a missing point interrupts the line")
    func gaps() {
        let (a, b, c) = (Point(x: 1, y: 1), Point(x: 2, y: 3), Point(x: 4, y: 2))
        #expect(pieces([a, b, nil, b, c, nil, a]) == [[a, b], [b, c]])
        #expect(pieces([nil, nil]).isEmpty)
        #expect(pieces([]).isEmpty)
    }

    @Test("points on a straight line are left out, corners stay")
    func simplification() {
        let line = (0...40).map { Point(x: Double($0), y: $0 <= 20 ? 0 : Double($0 - 20)) }
        #expect(pieces(line) == [[Point(x: 0, y: 0), Point(x: 20, y: 0), Point(x: 40, y: 20)]])
        let close = [Point(x: 0, y: 10), Point(x: 5, y: 10.1), Point(x: 10, y: 10)]
        #expect(pieces(close) == [[close[0], close[2]]])
        let far = [Point(x: 0, y: 10), Point(x: 5, y: 10.2), Point(x: 10, y: 10)]
        #expect(pieces(far) == [far])
    }

    @Test("a line that comes back to where it began keeps its way")
    func loop() {
        let loop = [Point(x: 5, y: 5), Point(x: 30, y: 30), Point(x: 5, y: 5)]
        #expect(pieces(loop) == [loop])
    }
}
