import Kafka
import Processing

extension KafkaError: ClassifiedError {}
