import Foundation
import TestSupport
import Testing

@Suite("Tree, graph and rules of docs/architecture.md", .blocking)
struct ArchitectureTests {
    /// Output of `swift package dump-package`.
    private struct Package: Decodable {
        struct Target: Decodable {
            struct Dependency: Decodable {
                var byName: [Condition?]?
                var target: [Condition?]?
                /// Module of this package; `nil` for a product of another package.
                var name: String? { (byName ?? target)?.first??.name }
            }
            var name: String
            var type: String
            var path: String?
            var dependencies: [Dependency]
            /// First folder below `Sources`; `nil` for a target outside it.
            var folder: String? {
                let parts = (path ?? "\(type == "test" ? "Tests" : "Sources")/\(name)").split(separator: "/")
                return parts.first == "Sources" && parts.count > 1 ? String(parts[1]) : nil
            }
        }
        /// Element of a dependency: the module name, or its platforms.
        struct Condition: Decodable {
            var name: String?
            init(from decoder: any Decoder) throws { name = try? decoder.singleValueContainer().decode(String.self) }
        }
        var targets: [Target]
    }

    /// Modules that do no I/O.
    private static let pure: Set<String> = ["Support", "Domain", "Processing", "Codec"]
    /// C module that a pure module may import: memory operations for Support, the JSON reader for Codec.
    private static let cModules = ["Support": "Glibc", "Codec": "CSimdJSON"]

    private let page: String
    /// Arrows of the page's dependency graph.
    private let arrows: [(from: String, to: String)]
    private let targets: [Package.Target]
    /// Folder of each module of `Sources`.
    private let folders: [String: String]

    /// Targets of Package.swift, read once because that takes two seconds.
    private static let targets = Result {
        // Another command may hold the lock of the default build folder.
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let swift = try #require(Checkout.tool("swift"))
        let result = try Checkout.run(swift, ["package", "--scratch-path", scratch, "dump-package"])
        let start = try #require(result.output.firstIndex(of: "{"), "\(result.output)")
        return try JSONDecoder().decode(Package.self, from: Data(result.output[start...].utf8)).targets
    }

    init() throws {
        page = try Checkout.text("docs/architecture.md")
        arrows = page.matches(of: /(?m)^    (\w+) --> (\w+)$/).map { (String($0.1), String($0.2)) }
        targets = try Self.targets.get()
        folders = Dictionary(
            uniqueKeysWithValues: targets.compactMap { target in target.folder.map { (target.name, $0) } })
    }

    /// Returns the folders that `folder` reaches along the arrows.
    private func reached(from folder: String) -> Set<String> {
        var reached: Set<String> = []
        var pending = [folder]
        while let from = pending.popLast() {
            for arrow in arrows where arrow.from == from && reached.insert(arrow.to).inserted {
                pending.append(arrow.to)
            }
        }
        return reached
    }

    /// Returns the folders in the folder at `path`.
    private static func subfolders(of path: String) throws -> [String] {
        let parent = Checkout.root.appendingPathComponent(path)
        return try FileManager.default.contentsOfDirectory(atPath: parent.path).filter { name in
            var isFolder: ObjCBool = false
            let path = parent.appendingPathComponent(name).path
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
        }
    }

    /// Returns the modules that the Swift files of a folder of `Sources` import, with the file names.
    private static func imports(of folder: String) throws -> [(file: String, module: String)] {
        let url = Checkout.root.appendingPathComponent("Sources/\(folder)")
        let files = try #require(FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil))
        var imports: [(file: String, module: String)] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            // Most lines are indented or comments, and matching them would take seconds.
            for line in lines where line.utf8.first != UInt8(ascii: " ") && line.utf8.first != UInt8(ascii: "/") {
                guard let match = line.prefixMatch(of: /(?:@?\w+ )*import (?:(?:struct|class|enum|func) )?(\w+)/) else {
                    continue
                }
                imports.append((file.lastPathComponent, String(match.1)))
            }
        }
        return imports
    }

    @Test("every dependency between folders follows the arrows, every arrow has a dependency, and there is no cycle")
    func graphMatchesDependencies() {
        var used: Set<String> = []
        for target in targets {
            guard let folder = target.folder else { continue }
            for name in target.dependencies.compactMap(\.name) {
                guard let dependency = folders[name], dependency != folder else { continue }
                used.insert("\(folder) --> \(dependency)")
                #expect(
                    reached(from: folder).contains(dependency), "\(target.name) depends on \(name) against the arrows")
            }
        }
        for arrow in arrows {
            #expect(used.contains("\(arrow.from) --> \(arrow.to)"), "\(arrow) has no dependency")
            #expect(!reached(from: arrow.from).contains(arrow.from), "\(arrow.from) depends on itself")
        }
    }

    @Test("the tree lists exactly the folders of Sources, Domain, Workers and Gateways")
    func treeMatchesFolders() throws {
        var listed: Set<String> = []
        var parent = ""
        for line in page.matches(of: /(?m)^( {2}| {4})(\w+)\/ +\S/) {
            if line.1.count == 2 { parent = String(line.2) }
            listed.insert(line.1.count == 2 ? parent : "\(parent)/\(line.2)")
        }
        var folders = Set(try Self.subfolders(of: "Sources"))
        for folder in ["Domain", "Workers", "Gateways"] {
            folders.formUnion(try Self.subfolders(of: "Sources/\(folder)").map { "\(folder)/\($0)" })
        }
        #expect(listed == folders)
    }

    @Test("Kafka, Redis and Postgres depend only on Support and C libraries")
    func clientDependencies() {
        for target in targets where ["Kafka", "Redis", "Postgres"].contains(target.name) {
            for dependency in target.dependencies {
                let isAllowed = dependency.name.map { $0 == "Support" || folders[$0] == "CLibraries" } ?? false
                #expect(isAllowed, "\(target.name) depends on \(dependency.name ?? "another package")")
            }
        }
    }

    @Test("pure modules depend on no other package, and import only pure modules and their C module")
    func pureModuleImports() throws {
        for target in targets where Self.pure.contains(target.name) {
            #expect(target.dependencies.allSatisfy { $0.name != nil }, "\(target.name) depends on another package")
        }
        for module in Self.pure {
            for (file, imported) in try Self.imports(of: module) {
                let isAllowed = Self.pure.contains(imported) || imported == Self.cModules[module]
                #expect(isAllowed, "\(module)/\(file) imports \(imported)")
            }
        }
    }

    @Test("files of processors import only pure modules", arguments: ["Location", "Eta", "Broadcast"])
    func processorImports(worker: String) throws {
        let imports = try Self.imports(of: "Workers/\(worker)")
        #expect(!imports.isEmpty)
        for (file, imported) in imports where file != "main.swift" && !file.hasSuffix("Command.swift") {
            #expect(Self.pure.contains(imported), "Workers/\(worker)/\(file) imports \(imported)")
        }
    }

    @Test("no target of Sources depends on a target outside Sources")
    func sourcesDependOnSources() {
        for target in targets where target.folder != nil {
            for name in target.dependencies.compactMap(\.name) {
                #expect(folders[name] != nil, "\(target.name) depends on \(name), which is not in Sources")
            }
        }
    }

    /// SwiftPM does not recompile a target after a type of an indirect dependency has changed.
    @Test("every target lists its transitive dependencies in this package, except CJemalloc")
    func transitiveDependencies() {
        let dependencies = Dictionary(
            uniqueKeysWithValues: targets.map { ($0.name, Set($0.dependencies.compactMap(\.name))) })
        for (target, direct) in dependencies {
            for dependency in direct {
                let missing = (dependencies[dependency] ?? []).subtracting(direct).subtracting(["CJemalloc"])
                #expect(missing.isEmpty, "\(target) depends on \(missing.sorted()) through \(dependency)")
            }
        }
    }

    @Test("every path on the page exists below the root or Sources")
    func listedPathsExist() {
        let paths = page.matches(of: /`([\w.+-]+\/[\w.+\/-]*)`/).map { String($0.1) }
        #expect(paths.count > 50)
        for path in paths {
            let files = [path, "Sources/\(path)"].map { Checkout.root.appendingPathComponent($0).path }
            #expect(files.contains { FileManager.default.fileExists(atPath: $0) }, "\(path) does not exist")
        }
    }
}
