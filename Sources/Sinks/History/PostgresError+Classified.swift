import Lanes
import Postgres

extension PostgresError: ClassifiedError {}
