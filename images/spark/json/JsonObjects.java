package metal.kafka.spark;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.UncheckedIOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Parses one JSON object in UTF-8 into a struct, in one pass over its bytes.
 *
 * <p>Spark's own {@code from_json} ignores data after the object, takes the last of two members with the same
 * name, and decodes a value to characters first. Detecting both would need a second parser and three times as
 * long. Marks after the fields:
 * <ul>
 * <li>{@code _is_text}: the value is valid UTF-8;
 * <li>{@code _ended}: the value is exactly one object;
 * <li>{@code _wrong_type}: a member has another type than its field, which is then null;
 * <li>{@code _twice}: the object, or an object in a field, has two members with the same name;
 * <li>{@code _halved}: a string has an unpaired surrogate.
 * </ul>
 */
public final class JsonObjects implements ScalarFunction<InternalRow> {
    private static final long serialVersionUID = 1L;
    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .build();
    /** Number of bytes from which Jackson detects the encoding. */
    private static final int ENCODING_BYTES = 4;

    private final StructType fields;
    private final StructType result;
    private transient JsonMembers members;

    JsonObjects(StructType fields) {
        this.fields = fields;
        this.result = fields
                .add("_is_text", DataTypes.BooleanType, false)
                .add("_ended", DataTypes.BooleanType, false)
                .add("_wrong_type", DataTypes.BooleanType, false)
                .add("_twice", DataTypes.BooleanType, false)
                .add("_halved", DataTypes.BooleanType, false);
        this.members = new JsonMembers(fields);
    }

    @Override
    public DataType[] inputTypes() {
        return new DataType[] {DataTypes.BinaryType};
    }

    @Override
    public DataType resultType() {
        return result;
    }

    @Override
    public boolean isResultNullable() {
        return false;
    }

    /** False although it is: the optimizer would copy a deterministic call for each field that is used. */
    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public String name() {
        return "json";
    }

    /** Called by Spark, which requires this name, for each record; null for a record without a value. */
    public InternalRow invoke(byte[] value) {
        int width = fields.length();
        Object[] row = new Object[width + 5];
        JsonMarks marks = new JsonMarks();
        boolean ended = false;
        if (value != null && isObject(value)) {
            try (JsonParser parser = JSON.createParser(value)) {
                parser.nextToken();
                members.read(parser, value, marks, row);
                ended = parser.nextToken() == null;
            } catch (JsonProcessingException broken) {
                ended = false;
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }
        row[width] = value != null && isText(value);
        row[width + 1] = ended;
        row[width + 2] = marks.wrongType;
        row[width + 3] = marks.twice;
        row[width + 4] = marks.halved;
        return new GenericInternalRow(row);
    }

    /** Most values are ASCII, which is valid UTF-8: only others are validated in full. */
    private static boolean isText(byte[] value) {
        int bits = 0;
        for (byte each : value) {
            bits |= each;
        }
        return bits >= 0 || UTF8String.fromBytes(value).isValid();
    }

    /** Whether it starts like an object in UTF-8; Jackson would accept UTF-16 and skip a byte order mark. */
    private static boolean isObject(byte[] value) {
        for (int at = 0; at < Math.min(ENCODING_BYTES, value.length); at++) {
            if (value[at] == 0) {
                return false;
            }
        }
        for (byte each : value) {
            if (each != ' ' && each != '\t' && each != '\r' && each != '\n') {
                return each == '{';
            }
        }
        return false;
    }

    private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
        stream.defaultReadObject();
        members = new JsonMembers(fields);
    }
}
