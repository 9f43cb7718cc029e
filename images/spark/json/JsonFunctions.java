package metal.kafka.spark;

import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A catalog whose functions read records: the function {@code `id STRING, n INT`} makes of a record's value a
 * struct of these fields, and of marks that say how reading went. See {@link JsonObjects}. The function {@code
 * instant} reads the text of an instant. See {@link Instants}.
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
        return identifier.name().equals(INSTANT) ? new OfText() : new OfFields(identifier.name());
    }

    private record OfText() implements UnboundFunction {
        @Override
        public String name() {
            return INSTANT;
        }

        @Override
        public String description() {
            return "the instant that a text says";
        }

        @Override
        public BoundFunction bind(StructType arguments) {
            if (arguments.length() != 1 || !arguments.apply(0).dataType().equals(DataTypes.StringType)) {
                throw new UnsupportedOperationException("text is the only argument");
            }
            return new Instants();
        }
    }

    private record OfFields(String name) implements UnboundFunction {
        @Override
        public String description() {
            return "one JSON object, and whether it was read in full";
        }

        @Override
        public BoundFunction bind(StructType arguments) {
            if (arguments.length() != 1 || !arguments.apply(0).dataType().equals(DataTypes.BinaryType)) {
                throw new UnsupportedOperationException("the value of a record, BINARY, is the only argument");
            }
            return new JsonObjects(StructType.fromDDL(name));
        }
    }
}
