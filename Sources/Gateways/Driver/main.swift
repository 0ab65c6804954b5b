import Gateways
import Runtime

await DriverGatewayCommand.runAsMain()
