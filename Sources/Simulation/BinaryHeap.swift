/// A priority queue whose first element is the smallest.
struct BinaryHeap<Element: Comparable & Sendable>: Sendable {
    private var elements: [Element] = []

    /// The smallest element.
    var first: Element? { elements.first }

    mutating func removeAll() { elements.removeAll(keepingCapacity: true) }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, case let parent = (child - 1) / 2, elements[child] < elements[parent] {
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the smallest element.
    mutating func popFirst() -> Element? {
        guard let first = elements.first, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return first }
        elements[0] = last
        var parent = 0
        while case let left = parent * 2 + 1, left < elements.count {
            let child = left + 1 < elements.count && elements[left + 1] < elements[left] ? left + 1 : left
            guard elements[child] < elements[parent] else { break }
            elements.swapAt(child, parent)
            parent = child
        }
        return first
    }
}
