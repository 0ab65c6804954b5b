import ClientAudit
import SightlineCLI

await ClientAuditCommand.start(Array(CommandLine.arguments.dropFirst()))
