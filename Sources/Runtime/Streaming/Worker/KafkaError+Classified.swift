import Kafka
import Pipeline

extension KafkaError: ClassifiedError {}
