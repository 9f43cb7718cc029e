package metal.kafka.spark;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.ThreadSafeRpcEndpoint;
import org.apache.spark.util.RpcUtils;
import scala.PartialFunction;
import scala.reflect.ClassTag;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * Config provider for the credentials of a pipeline, {@code ${file:PATH:KEY}} in options of Kafka clients. Only the
 * driver has the file; executors request values from their driver over Spark's encrypted connection. So a worker,
 * which runs executors of all pipelines, stores no password. The next client uses a new password without a restart.
 *
 * <p>Properties files have their own keys; PEM files have the keys {@code key} and {@code chain}.
 */
public final class DriverSecrets implements ConfigProvider {
  private static final String ENDPOINT = "kafka-metal-secrets";
  private static final String DRIVER = "driver";
  // Executors may read only the credentials of the pipeline, and no other files of the driver.
  private static final Pattern ALLOWED = Pattern.compile("/etc/kafka-metal/pipeline-[\\w.-]+\\.(properties|pem)");
  private static final Pattern PRIVATE = Pattern.compile("-----BEGIN ([A-Z ]*PRIVATE KEY)-----.*?-----END \\1-----", Pattern.DOTALL);
  private static final Pattern CERTIFICATE = Pattern.compile("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", Pattern.DOTALL);

  private static RpcEnv served;

  /** Starts the endpoint for executors; to be called in a driver. */
  public static synchronized void serve() {
    RpcEnv env = SparkEnv.get().rpcEnv();
    if (served != env) {
      env.setupEndpoint(ENDPOINT, new Endpoint(env));
      served = env;
    }
  }

  @Override
  public void configure(Map<String, ?> configuration) {}

  @Override
  public void close() {}

  @Override
  public ConfigData get(String path) {
    throw new ConfigException(path + ": found no key; allowed: ${file:PATH:KEY}");
  }

  @Override
  public ConfigData get(String path, Set<String> keys) {
    SparkEnv env = SparkEnv.get();
    boolean here = env == null || DRIVER.equals(env.executorId());
    Map<String, String> found = new HashMap<>();
    for (String key : keys) {
      found.put(key, here ? read(path, key) : requestFromDriver(env, path, key));
    }
    return new ConfigData(found);
  }

  private static String requestFromDriver(SparkEnv env, String path, String key) {
    var driver = RpcUtils.makeDriverRef(ENDPOINT, env.conf(), env.rpcEnv());
    return driver.askSync(path + "\n" + key, ClassTag.apply(String.class));
  }

  static String read(String path, String key) {
    try {
      String text = Files.readString(Path.of(path));
      String value = path.endsWith(".pem") ? ofPem(text, key) : ofProperties(text, key);
      if (value == null || value.isEmpty()) {
        throw new ConfigException(path + ": has no key " + key);
      }
      return value;
    } catch (IOException error) {
      // The message of the error is only the path.
      throw new ConfigException(path + ": cannot be read (" + error.getClass().getSimpleName() + ")");
    }
  }

  private static String ofProperties(String text, String key) throws IOException {
    Properties found = new Properties();
    found.load(new StringReader(text));
    return found.getProperty(key);
  }

  private static String ofPem(String text, String key) {
    Pattern wanted = Map.of("key", PRIVATE, "chain", CERTIFICATE).get(key);
    if (wanted == null) {
      return null;
    }
    StringBuilder found = new StringBuilder();
    for (Matcher each = wanted.matcher(text); each.find(); ) {
      found.append(each.group()).append('\n');
    }
    return found.toString();
  }

  private static final class Endpoint implements ThreadSafeRpcEndpoint {
    private final RpcEnv env;

    Endpoint(RpcEnv env) {
      this.env = env;
    }

    @Override
    public RpcEnv rpcEnv() {
      return env;
    }

    @Override
    public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
      return new Reply(context);
    }
  }

  private static final class Reply extends AbstractPartialFunction<Object, BoxedUnit> {
    private final RpcCallContext context;

    Reply(RpcCallContext context) {
      this.context = context;
    }

    @Override
    public boolean isDefinedAt(Object message) {
      return message instanceof String;
    }

    @Override
    public BoxedUnit apply(Object message) {
      String[] parts = message.toString().split("\n", 2);
      try {
        if (parts.length < 2 || !ALLOWED.matcher(parts[0]).matches()) {
          throw new ConfigException(parts[0] + ": not readable by executors");
        }
        context.reply(read(parts[0], parts[1]));
      } catch (ConfigException error) {
        context.sendFailure(error);
      }
      return BoxedUnit.UNIT;
    }
  }
}
