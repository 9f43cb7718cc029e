package metal.kafka.spark;

import java.util.function.Supplier;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A catalog with functions that parse records. The function {@code `id STRING, n INT`} converts a record's value to
 * a struct of these fields and of marks for parse errors, see {@link JsonObjects}. The function {@code instant}
 * parses the usual format of an instant, see {@link Instants}.
 */
public final class JsonFunctions implements FunctionCatalog {
    private static final String INSTANT = "instant";

    private String name;

    @Override
    public void initialize(String name, CaseInsensitiveStringMap options) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Identifier[] listFunctions(String[] namespace) {
        return new Identifier[0];
    }

    @Override
    public UnboundFunction loadFunction(Identifier identifier) {
        String wanted = identifier.name();
        return wanted.equals(INSTANT)
                ? new OfOne(INSTANT, "parses an instant", DataTypes.StringType, Instants::new)
                : new OfOne(wanted, "parses one JSON object, with marks for errors", DataTypes.BinaryType,
                        () -> new JsonObjects(StructType.fromDDL(wanted)));
    }

    private record OfOne(String name, String description, DataType argument, Supplier<BoundFunction> made)
            implements UnboundFunction {
        @Override
        public BoundFunction bind(StructType arguments) {
            if (arguments.length() != 1 || !arguments.apply(0).dataType().equals(argument)) {
                throw new UnsupportedOperationException(argument.sql() + " is the only argument");
            }
            return made.get();
        }
    }
}
