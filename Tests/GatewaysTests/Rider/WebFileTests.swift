import Foundation
import NIOCore
import TestSupport
import Testing

@testable import Gateways

@Suite("The files of the live map and of the JavaScript client")
struct WebFileTests {
    /// Returns the files of a folder of the repository by name, without subfolders.
    private static func files(in folder: String, ending: String? = nil) throws -> [String: Data] {
        let url = Checkout.root.appendingPathComponent(folder)
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
            guard let data = FileManager.default.contents(atPath: url.appendingPathComponent(name).path),
                ending.map(name.hasSuffix) ?? true
            else { continue }
            files[name] = data
        }
        return files
    }

    /// Returns the repository's files to embed, by URL path.
    private static func expected() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for (name, data) in try Self.files(in: "Sources/Gateways/Rider/Web") { files["map/\(name)"] = data }
        for (name, data) in try Self.files(in: "Clients/JavaScript", ending: ".js") { files["clients/\(name)"] = data }
        for (name, data) in try Self.files(in: "Clients/JavaScript/sightline") {
            files["clients/sightline/\(name)"] = data
        }
        return files
    }

    @Test("exactly the files of the repository are embedded, unchanged")
    func content() throws {
        let expected = try Self.expected()
        #expect(WebFile.all.map(\.path).sorted() == expected.keys.sorted())
        for file in WebFile.all {
            #expect(Data(file.content.readableBytesView) == expected[file.path], "\(file.path)")
        }
    }

    @Test("each file has the content type of its extension")
    func contentTypes() {
        let types = [
            "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
            "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
        ]
        for file in WebFile.all {
            let ending = file.path.split(separator: ".").last.map(String.init) ?? ""
            #expect(types[ending] == file.contentType, "\(file.path)")
        }
        #expect(Set(WebFile.all.map(\.contentType)) == Set(types.values))
    }
}
