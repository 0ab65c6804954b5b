import Pipeline
import Postgres

extension PostgresError: ClassifiedError {}
