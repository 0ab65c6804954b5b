import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * A simplified version of location-worker's core as a Kafka Streams application, for PEER_COUNT records.
 *
 * <p>Does the same work as smoothing.py. PEER_GUARANTEE is the processing guarantee, PEER_STATE a folder for the
 * application's files.
 */
public final class KafkaStreamsPeer {
    private static final double FASTEST_METERS_PER_SECOND = 70.0;
    private static final double METERS_PER_DEGREE = 111_320.0;
    private static final double ACCELERATION_VARIANCE = 1.0;
    /** Numbers of a state: time, origin and last fix in degrees, position, velocity, and the covariance. */
    private static final int STATE_SIZE = 12;

    private static final String STORE = "drivers";
    private static final ObjectMapper JSON = new ObjectMapper();

    private KafkaStreamsPeer() {}

    public static void main(String[] arguments) {
        try {
            System.out.println(run());
        } catch (Exception error) {
            error.printStackTrace();
            System.exit(1);
        }
        // Ends the process even if a library has started other threads.
        System.exit(0);
    }

    /** Processes all records and returns the report, one line of JSON. */
    private static String run() throws InterruptedException {
        Meter meter = new Meter(Long.parseLong(variable("PEER_COUNT")));
        KafkaStreams streams = new KafkaStreams(topology(meter), properties());
        streams.setUncaughtExceptionHandler(error -> {
            meter.fail(error);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.start();
        meter.await(Duration.ofSeconds(60));
        if (!streams.close(Duration.ofSeconds(30))) {
            throw new IllegalStateException("Kafka Streams did not stop within 30 s.");
        }
        return meter.report();
    }

    private static Topology topology(Meter meter) {
        ProcessorSupplier<String, byte[], String, byte[]> filter = () -> new Filter(meter);
        Topology topology = new Topology();
        topology.addSource("raw", new StringDeserializer(), new ByteArrayDeserializer(), variable("PEER_INPUT"));
        topology.addProcessor("filter", filter, "raw");
        // By default, RocksDB and a changelog topic store the state; memory alone is faster.
        topology.addStateStore(
            Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(STORE), Serdes.String(), stateSerde())
                .withLoggingDisabled(),
            "filter");
        topology.addSink(
            "verdicts", variable("PEER_OUTPUT"), new StringSerializer(), new ByteArraySerializer(), "filter");
        return topology;
    }

    private static Properties properties() {
        String guarantee = variable("PEER_GUARANTEE");
        Properties properties = new Properties();
        // The id is also the consumer group. Each guarantee reads the input from its beginning.
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, variable("PEER_OUTPUT") + "-" + guarantee);
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, variable("KAFKA_BOOTSTRAP_SERVERS"));
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, guarantee);
        // One thread, because the comparison is per process.
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
        properties.put(StreamsConfig.STATE_DIR_CONFIG, variable("PEER_STATE"));
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG), 20);
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 6000);
        properties.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), 2000);
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 20);
        properties.put(StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG), "lz4");
        return properties;
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException("The environment variable " + name + " is not set.");
        }
        return value;
    }

    private static Serde<double[]> stateSerde() {
        return Serdes.serdeFrom(
            (topic, state) -> {
                if (state == null) {
                    return null;
                }
                ByteBuffer buffer = ByteBuffer.allocate(STATE_SIZE * Double.BYTES);
                buffer.asDoubleBuffer().put(state);
                return buffer.array();
            },
            (topic, bytes) -> {
                if (bytes == null) {
                    return null;
                }
                double[] state = new double[STATE_SIZE];
                ByteBuffer.wrap(bytes).asDoubleBuffer().get(state);
                return state;
            });
    }

    /** Reads a driver's state, advances it by the fix of a record, and forwards the verdict. */
    private static final class Filter implements Processor<String, byte[], String, byte[]> {
        private final Meter meter;
        private ProcessorContext<String, byte[]> context;
        private KeyValueStore<String, double[]> states;

        Filter(Meter meter) {
            this.meter = meter;
        }

        @Override
        public void init(ProcessorContext<String, byte[]> context) {
            this.context = context;
            states = context.getStateStore(STORE);
        }

        @Override
        public void process(Record<String, byte[]> record) {
            try {
                JsonNode fix = JSON.readTree(record.value());
                double[] before = states.get(record.key());
                double[] after = advance(before, fix);
                boolean isAccepted = after != before;
                if (isAccepted) {
                    states.put(record.key(), after);
                }
                ObjectNode verdict = verdict(fix, isAccepted ? "accepted" : "rejected", after);
                context.forward(record.withValue(JSON.writeValueAsBytes(verdict)));
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
            meter.count();
        }
    }

    /**
     * Returns the driver's state after a fix, which is the same array if the fix is rejected.
     *
     * <p>`state`: null before the driver's first fix.
     */
    static double[] advance(double[] state, JsonNode fix) {
        JsonNode device = fix.get("payload");
        double latitude = device.get("latitude").asDouble();
        double longitude = device.get("longitude").asDouble();
        Instant instant = OffsetDateTime.parse(device.get("timestamp").asText()).toInstant();
        double time = instant.getEpochSecond() + instant.getNano() / 1e9;
        double accuracy = device.path("accuracy_meters").asDouble(10.0);
        double noise = accuracy * accuracy;
        if (state == null) {
            return new double[] {time, latitude, longitude, latitude, longitude, 0, 0, 0, 0, noise, 0, 100};
        }
        double seconds = Math.max(time - state[0], 0.001);
        double latitude0 = state[1];
        double longitude0 = state[2];
        double perDegreeEast = METERS_PER_DEGREE * Math.cos(Math.toRadians(latitude0));
        double travelled =
            Math.hypot((longitude - state[4]) * perDegreeEast, (latitude - state[3]) * METERS_PER_DEGREE);
        if (travelled / seconds > FASTEST_METERS_PER_SECOND) {
            return state;
        }

        double vEast = state[7];
        double vNorth = state[8];
        double p = state[9];
        double c = state[10];
        double v = state[11];
        p += seconds * (2 * c + seconds * v) + ACCELERATION_VARIANCE * Math.pow(seconds, 4) / 4;
        c += seconds * v + ACCELERATION_VARIANCE * Math.pow(seconds, 3) / 2;
        v += ACCELERATION_VARIANCE * seconds * seconds;
        double gain = p / (p + noise);
        double gainVelocity = c / (p + noise);
        double east = state[5] + seconds * vEast;
        double north = state[6] + seconds * vNorth;
        double offEast = (longitude - longitude0) * perDegreeEast - east;
        double offNorth = (latitude - latitude0) * METERS_PER_DEGREE - north;
        return new double[] {
            time, latitude0, longitude0, latitude, longitude,
            east + gain * offEast, north + gain * offNorth,
            vEast + gainVelocity * offEast, vNorth + gainVelocity * offNorth,
            (1 - gain) * p, (1 - gain) * c, v - gainVelocity * c,
        };
    }

    static ObjectNode verdict(JsonNode fix, String status, double[] state) {
        ObjectNode verdict = JSON.createObjectNode();
        verdict.set("driver_id", fix.get("driver_id"));
        verdict.set("sequence", fix.get("sequence"));
        verdict.put("verdict", status);
        verdict.put("latitude", state[1] + state[6] / METERS_PER_DEGREE);
        verdict.put(
            "longitude", state[2] + state[5] / (METERS_PER_DEGREE * Math.cos(Math.toRadians(state[1]))));
        verdict.put("speed_mps", Math.hypot(state[7], state[8]));
        verdict.put("accuracy_meters", Math.sqrt(state[9]));
        verdict.set("raw", fix.get("payload"));
        return verdict;
    }

    /**
     * Counts records, and measures from the tenth part of them to the last.
     *
     * <p>The first tenth is excluded, because the JVM compiles the code meanwhile. Counted on the stream thread, read on
     * the main thread.
     */
    private static final class Meter {
        private final long total;
        private final long first;
        private final CountDownLatch isDone = new CountDownLatch(1);
        private volatile long records;
        private volatile Throwable failure;
        private long[] began;
        private long[] ended;

        Meter(long total) {
            this.total = total;
            first = total / 10;
        }

        void count() {
            // Only the stream thread writes, so that the increment needs no lock.
            long count = records + 1;
            records = count;
            if (count == first) {
                began = read();
            } else if (count == total) {
                ended = read();
                isDone.countDown();
            }
        }

        void fail(Throwable error) {
            failure = error;
            isDone.countDown();
        }

        /** Waits for the last record; throws after a failure, or after `idleTime` without records. */
        void await(Duration idleTime) throws InterruptedException {
            long before = 0;
            while (!isDone.await(idleTime.toMillis(), TimeUnit.MILLISECONDS)) {
                if (records == before) {
                    throw new IllegalStateException("No record arrived within " + idleTime.toSeconds() + " s, after "
                        + records + " of " + total + " records.");
                }
                before = records;
            }
            if (failure != null) {
                throw new IllegalStateException("Kafka Streams failed.", failure);
            }
        }

        String report() {
            return String.format(
                Locale.ROOT, "{\"records\": %d, \"seconds\": %.6f, \"cpu_seconds\": %.6f}",
                total - first, (ended[0] - began[0]) / 1e9, (ended[1] - began[1]) / 1e9);
        }

        /** Returns the time and the processor time of all threads, in nanoseconds. */
        private static long[] read() {
            var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            return new long[] {System.nanoTime(), system.getProcessCpuTime()};
        }
    }
}
