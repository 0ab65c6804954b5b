import Gateways
import Runtime

await RiderGatewayCommand.runAsMain()
