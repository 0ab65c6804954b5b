import Foundation

/// A JSON Web Key Set, read key by key: one that cannot be read does not hide the others.
struct KeyFile {
    /// Enough for thousands of keys.
    private static let maximumByteCount = 1 << 20

    let path: String
    let entries: [KeyFileEntry]

    /// - Throws: that the file cannot be read, or is no key set.
    init(_ path: String) throws(TokenConfigurationError) {
        self.path = path
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: Self.maximumByteCount + 1) ?? Data()
        else {
            throw .keyFile(path, "the file cannot be read; does it exist, and may we read it?")
        }
        guard data.count <= Self.maximumByteCount else {
            throw .keyFile(path, "the file is larger than 1 MiB; it should hold keys for tokens alone.")
        }
        do {
            entries = try JSONDecoder().decode(Content.self, from: data).keys
        } catch {
            throw .keyFile(
                path, "the file is no JSON Web Key Set, which looks like {\"keys\":[{\"kty\":\"RSA\",\"kid\":…}]}.")
        }
    }

    private struct Content: Decodable {
        let keys: [KeyFileEntry]
    }
}
