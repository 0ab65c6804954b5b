import Codec
import Support

/// Encoded polylines: the first byte chooses the precision.
final class PolylineTarget: FuzzTarget {
    static let name = "polyline"

    func run(_ input: ByteSlice) {
        guard input.count > 0, let start = input.start else { return }
        let precision = input[0] & 1 == 0 ? 5 : 6
        let text = ByteSlice(start: start + 1, count: input.count - 1)
        guard let points = Polyline.decode(text, precision: precision) else { return }
        hold(points.count <= text.count / 2, "There are more points than a polyline has characters for.")
        points.forEach(holdPlace)
        let encoded = Polyline.encode(points, precision: precision)
        hold(encoded.utf8.allSatisfy { (63...127).contains($0) }, "An encoded polyline leaves its alphabet.")
        ByteSlice.withBytes(of: encoded) {
            hold(Polyline.decode($0, precision: precision) == points, "A polyline does not survive being encoded.")
        }
    }
}
