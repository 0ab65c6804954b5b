import Foundation
import TestSupport
import Testing

@Suite("The drawing of the modules in docs/architecture.md", .blocking)
struct ArchitectureTests {
    /// The package as SwiftPM reads it.
    private struct Package: Decodable {
        struct Target: Decodable {
            struct Dependency: Decodable {
                /// Name and condition; `nil` for a product of another package.
                var byName: [Condition?]?
                var target: [Condition?]?
                var name: String? { (byName ?? target)?.first??.name }
            }
            var name: String
            var path: String?
            var dependencies: [Dependency]
            /// The folder of `Sources` that the module is in; `nil` elsewhere.
            var group: String? {
                let parts = (path ?? "").split(separator: "/")
                return parts.first == "Sources" && parts.count == 3 ? String(parts[1]) : nil
            }
        }
        /// A name, or the platforms of a dependency.
        struct Condition: Decodable {
            var name: String?
            init(from decoder: any Decoder) throws { name = try? decoder.singleValueContainer().decode(String.self) }
        }
        var targets: [Target]
    }

    private let page: String
    private let targets: [Package.Target]
    private let groups: [String: String]

    /// Reads the targets of Package.swift once, as that takes two seconds.
    private static let targets = Result {
        // A folder of its own, as another command may hold the lock of the ordinary one.
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let swift = try #require(Checkout.tool("swift"))
        let result = try Checkout.run(swift, ["package", "--scratch-path", scratch, "dump-package"])
        let start = try #require(result.output.firstIndex(of: "{"), "\(result.output)")
        return try JSONDecoder().decode(Package.self, from: Data(result.output[start...].utf8)).targets
    }

    init() throws {
        page = try Checkout.text("docs/architecture.md")
        targets = try Self.targets.get()
        groups = Dictionary(
            uniqueKeysWithValues: targets.compactMap { target in target.group.map { (target.name, $0) } })
    }

    /// What the drawing's arrows lead to, from each group.
    private var arrows: [(from: String, to: String)] {
        page.matches(of: /(?m)^    (\w+) --> (\w+)$/).map { (String($0.1), String($0.2)) }
    }

    /// The groups that `group` reaches along the arrows.
    private func reached(from group: String) -> Set<String> {
        var found: Set<String> = []
        var next = [group]
        while let one = next.popLast() {
            for arrow in arrows where arrow.from == one && found.insert(arrow.to).inserted { next.append(arrow.to) }
        }
        return found
    }

    @Test("every dependency between groups follows the arrows, every arrow has one, and none leads back")
    func dependencies() {
        var used: Set<String> = []
        for target in targets {
            guard let group = target.group else { continue }
            for name in target.dependencies.compactMap(\.name) {
                guard let other = groups[name], other != group else { continue }
                used.insert("\(group) --> \(other)")
                #expect(reached(from: group).contains(other), "\(target.name) depends on \(name) against the arrows")
            }
        }
        for arrow in arrows { #expect(used.contains("\(arrow.from) --> \(arrow.to)"), "\(arrow) stands for nothing") }
        for group in Set(groups.values) { #expect(!reached(from: group).contains(group), "\(group) depends on itself") }
    }

    /// Otherwise SwiftPM would not compile it again after a change of a type that it contains.
    @Test("every target names all modules of this package that it depends on through others")
    func closure() {
        let names = Dictionary(
            uniqueKeysWithValues: targets.map { ($0.name, Set($0.dependencies.compactMap(\.name))) })
        for (target, direct) in names {
            for dependency in direct {
                let missing = (names[dependency] ?? []).subtracting(direct).subtracting(["CJemalloc"])
                #expect(missing.isEmpty, "\(target) depends on \(missing.sorted()) through \(dependency)")
            }
        }
    }

    @Test("the table names every module of Sources in its group, and no other")
    func modules() {
        var group = ""
        var listed: [String: String] = [:]
        for row in page.matches(of: /(?m)^\| (\w*) ?\| ((?:`\w+` ?)+)\| .+\|$/) {
            if !row.1.isEmpty { group = String(row.1) }
            for name in row.2.matches(of: /`(\w+)`/) { listed[String(name.1)] = group }
        }
        #expect(listed == groups)
        #expect(targets.filter { ($0.path ?? "").hasPrefix("Sources/") }.allSatisfy { $0.group != nil })
    }

    @Test("the clients know nothing of the pipeline, and the domain imports no other package")
    func layers() {
        for target in targets where target.group == "Domain" || target.group == "Clients" {
            #expect(target.dependencies.allSatisfy { $0.name != nil }, "\(target.name) depends on another package")
            let groups = Set(target.dependencies.compactMap { $0.name.flatMap { self.groups[$0] } })
            #expect(groups.isSubset(of: ["Domain", target.group ?? ""]), "\(target.name)")
        }
    }

    @Test("the places that the page names are there")
    func places() {
        let places = page.matches(of: /`((?:Domain|Clients|Pipeline|Runtime|Programs|Proof)\/[\w\/.+]+)`/)
        #expect(places.count > 10)
        for place in places {
            let path = Checkout.root.appendingPathComponent("Sources/\(place.1)").path
            #expect(FileManager.default.fileExists(atPath: path), "\(place.1)")
        }
    }
}
