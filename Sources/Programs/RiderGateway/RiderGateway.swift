import GatewayCommands

/// Lets riders follow their trips.
@main
enum RiderGatewayMain {
    static func main() async { await RiderGatewayCommand.main() }
}
