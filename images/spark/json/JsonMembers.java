package metal.kafka.spark;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Parses the members of a JSON object into the fields of a row. */
final class JsonMembers {
    private final String[] names;
    private final JsonValue[] values;
    private final Map<String, Integer> places = new HashMap<>();

    JsonMembers(StructType fields) {
        StructField[] all = fields.fields();
        names = new String[all.length];
        values = new JsonValue[all.length];
        for (int place = 0; place < all.length; place++) {
            names[place] = all[place].name();
            values[place] = JsonValue.of(all[place].dataType());
            places.put(names[place], place);
        }
    }

    /** Number of fields. */
    int width() {
        return names.length;
    }

    /** Fills {@code row} from the object whose opening brace was read last, up to its closing brace. */
    void read(JsonParser parser, byte[] source, JsonMarks marks, Object[] row) throws IOException {
        boolean[] seen = new boolean[names.length];
        Set<String> others = null;
        // Members are mostly in the order of the fields.
        int next = 0;
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            int place = next < names.length && names[next].equals(name) ? next : places.getOrDefault(name, -1);
            JsonToken token = parser.nextToken();
            if (place < 0) {
                others = others == null ? new HashSet<>() : others;
                marks.twice |= !others.add(name);
                parser.skipChildren();
                continue;
            }
            marks.twice |= seen[place];
            seen[place] = true;
            row[place] = token == JsonToken.VALUE_NULL ? null : values[place].read(parser, source, marks);
            next = place + 1;
        }
    }
}
