import ArgumentParser

/// Breaks a running pipeline on purpose and audits what it did meanwhile.
@main
struct Chaos: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Break a running pipeline on purpose, and audit what it did meanwhile.",
        discussion: "Needs the local stack around it: run it by deploy/test chaos or deploy/soak.",
        subcommands: [ChaosSeeds.self, Soak.self])
}
