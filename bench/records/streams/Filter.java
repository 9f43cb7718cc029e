import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;

/** The filter as a Kafka Streams application: Filter BOOTSTRAP SOURCE TARGET RECORDS APPLICATION. */
public final class Filter {
    private static final double LIMIT = 0.8;
    private static final ObjectMapper JSON = new ObjectMapper();

    private Filter() {}

    public static void main(String[] args) throws InterruptedException {
        long records = Long.parseLong(args[3]);
        long began = System.nanoTime();
        AtomicLong seen = new AtomicLong();
        AtomicLong passed = new AtomicLong();
        CountDownLatch done = new CountDownLatch(1);

        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(args[1], Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
                .mapValues(value -> {
                    JsonNode event = parsed(value);
                    if (seen.incrementAndGet() == records) {
                        done.countDown();
                    }
                    return event;
                })
                .filter((key, event) -> event != null && isFraud(event))
                .map((key, event) -> {
                    passed.incrementAndGet();
                    return KeyValue.pair(event.get("paymentId").asText(), written(event));
                })
                .to(args[2], Produced.with(Serdes.String(), Serdes.ByteArray()));

        try (KafkaStreams streams = new KafkaStreams(builder.build(), settings(args[0], args[4]))) {
            streams.start();
            done.await();
        }
        System.out.printf(
                "{\"round\": 1, \"records\": %d, \"passed\": %d, \"seconds\": %.3f, \"cpu\": %.3f}%n",
                seen.get(), passed.get(), (System.nanoTime() - began) / 1e9, cpuSeconds());
    }

    /** CPU time of this process, the only one in its container. */
    private static double cpuSeconds() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
    }

    private static boolean isFraud(JsonNode event) {
        double probability = event.get("fraudProbability").asDouble();
        return event.get("amount").asDouble() > 0 && probability >= 0 && probability <= 1 && probability > LIMIT;
    }

    private static JsonNode parsed(byte[] value) {
        try {
            return JSON.readTree(value);
        } catch (JacksonException broken) {
            return null;
        } catch (IOException unexpected) {
            throw new UncheckedIOException(unexpected);
        }
    }

    private static byte[] written(JsonNode event) {
        try {
            return JSON.writeValueAsBytes(event);
        } catch (JacksonException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** The same producer options as the sink of the pipeline, because small batches are expensive. */
    private static Properties settings(String bootstrap, String application) {
        Properties found = new Properties();
        found.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
        found.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        found.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        found.put(StreamsConfig.STATE_DIR_CONFIG, "/tmp/streams");
        found.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        found.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 50);
        found.put(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), 262144);
        found.put(StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG), "lz4");
        return found;
    }
}
