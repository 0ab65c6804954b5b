import GatewayCommands

/// Takes what drivers' devices send.
@main
enum DriverGatewayMain {
    static func main() async { await DriverGatewayCommand.main() }
}
