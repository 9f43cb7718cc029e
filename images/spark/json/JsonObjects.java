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
 * One JSON object in UTF-8 as a struct, in one pass over its bytes.
 *
 * <p>Spark's own {@code from_json} stops where an object ends, takes the last of two members with one name,
 * and decodes a value to characters first: to learn of both takes it a second parser, and three times as
 * long. Marks behind the fields:
 * <ul>
 * <li>{@code _is_text}: the value is UTF-8;
 * <li>{@code _ended}: the value is one object, and nothing follows it;
 * <li>{@code _misfit}: a member has another type than its field, which is null then;
 * <li>{@code _twice}: a name is there twice, among the members of the value or of an object that a field is;
 * <li>{@code _halved}: a string has half of a surrogate pair, which is no character.
 * </ul>
 */
public final class JsonObjects implements ScalarFunction<InternalRow> {
    private static final long serialVersionUID = 1L;
    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .build();
    /** As many bytes tell Jackson which encoding it has before it. */
    private static final int TELLING = 4;

    private final StructType fields;
    private final StructType result;
    private transient JsonMembers members;

    JsonObjects(StructType fields) {
        this.fields = fields;
        this.result = fields
                .add("_is_text", DataTypes.BooleanType, false)
                .add("_ended", DataTypes.BooleanType, false)
                .add("_misfit", DataTypes.BooleanType, false)
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

    /** It is, and says otherwise: of what is deterministic the optimizer makes a copy for each field that is used. */
    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public String name() {
        return "json";
    }

    /** What Spark calls, by its name, for each record; null for a record without a value. */
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
        row[width + 2] = marks.misfit;
        row[width + 3] = marks.twice;
        row[width + 4] = marks.halved;
        return new GenericInternalRow(row);
    }

    /** What is ASCII is UTF-8, and most values are: only the others pay for the whole look. */
    private static boolean isText(byte[] value) {
        int signs = 0;
        for (byte each : value) {
            signs |= each;
        }
        return signs >= 0 || UTF8String.fromBytes(value).isValid();
    }

    /** Whether it begins like an object in UTF-8; Jackson would read UTF-16, and pass over a byte order mark. */
    private static boolean isObject(byte[] value) {
        for (int at = 0; at < Math.min(TELLING, value.length); at++) {
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
