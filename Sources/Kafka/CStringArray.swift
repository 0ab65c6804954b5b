import Glibc

/// Array of C strings.
struct CStringArray: ~Copyable {
    private let pointers: UnsafeMutableBufferPointer<UnsafePointer<CChar>?>

    init(_ names: [String]) {
        pointers = .allocate(capacity: names.count)
        _ = pointers.initialize(from: names.map { UnsafePointer(strdup($0)) })
    }

    deinit {
        for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) }
        pointers.deallocate()
    }

    func withPointers(_ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> Void) { body(pointers.baseAddress) }
}
