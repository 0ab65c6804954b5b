import Postgres
import Processing

extension PostgresError: ClassifiedError {}
