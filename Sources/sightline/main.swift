import SightlineCLI

await ProgramEntry.run(CommandLine.arguments)
