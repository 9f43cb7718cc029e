import io.apicurio.registry.serde.avro.AvroKafkaDeserializer;
import io.apicurio.registry.serde.avro.AvroKafkaSerializer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import org.apache.avro.generic.GenericRecord;

/**
 * Client FILE TOPIC: reads records of other clients, and writes them again, with Apicurio's Avro serializers.
 *
 * <p>FILE is schema-registry.properties of `make access`. Each line of the standard input is a record in
 * hexadecimal digits. Prints a line for each: the record as JSON, a tabulator, and its bytes when it is written with
 * the latest schema of the topic.
 */
public final class Client {
    private Client() {}

    public static void main(String[] arguments) throws IOException {
        Map<String, Object> settings = new HashMap<>();
        try (Reader file = Files.newBufferedReader(Path.of(arguments[0]))) {
            Properties given = new Properties();
            given.load(file);
            given.stringPropertyNames().forEach(name -> settings.put(name, given.getProperty(name)));
        }
        String topic = arguments[1];
        HexFormat digits = HexFormat.of();
        try (AvroKafkaDeserializer<GenericRecord> read = new AvroKafkaDeserializer<>();
                AvroKafkaSerializer<GenericRecord> write = new AvroKafkaSerializer<>();
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            read.configure(settings, false);
            write.configure(settings, false);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                GenericRecord found = read.deserialize(topic, digits.parseHex(line));
                System.out.println(found + "\t" + digits.formatHex(write.serialize(topic, found)));
            }
        }
    }
}
