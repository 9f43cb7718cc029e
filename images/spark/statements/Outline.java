package metal.kafka.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.DataType;
import scala.Option;
import scala.Product;
import scala.collection.Iterator;

/**
 * Parses SQL with Spark's parser into JSON: each node with its class, its position and all its fields,
 * including those that are not children for Spark. Nothing is resolved or executed.
 */
public final class Outline {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Outline() {}

    /** A statement: {@code {"is": CLASS, "at": [LINE, COLUMN], "has": {FIELD: VALUE, ...}}}. */
    public static String ofStatement(ParserInterface parser, String sql) throws JsonProcessingException, ParseException {
        return JSON.writeValueAsString(toJson(parser.parsePlan(sql)));
    }

    /** An expression, in the same form. */
    public static String ofExpression(ParserInterface parser, String sql) throws JsonProcessingException, ParseException {
        return JSON.writeValueAsString(toJson(parser.parseExpression(sql)));
    }

    /** Names of Spark's built-in functions, one per line. */
    public static String functions() {
        var found = new ArrayList<String>();
        for (var names = FunctionRegistry.builtin().listFunction().iterator(); names.hasNext(); ) {
            found.add(names.next().funcName());
        }
        return String.join("\n", found);
    }

    private static Object toJson(Object value) {
        return switch (value) {
            case null -> null;
            case String text -> text;
            case Number number -> number;
            case Boolean flag -> flag;
            // A StructType is also an Iterable of its fields.
            case DataType type -> type.getClass().getSimpleName();
            case TreeNode<?> node -> node(node);
            case Option<?> option -> option.isEmpty() ? null : toJson(option.get());
            case Map<?, ?> map -> map.isEmpty() ? List.of() : List.of(map.toString());
            case scala.collection.Iterable<?> several -> all(several.iterator());
            case Product product when product.productArity() > 0 -> all(product.productIterator());
            default -> value.toString();
        };
    }

    private static Map<String, Object> node(TreeNode<?> node) {
        var line = node.origin().line();
        var column = node.origin().startPosition();
        var has = new LinkedHashMap<String, Object>();
        for (int place = 0; place < node.productArity(); place++) {
            has.put(node.productElementName(place), toJson(node.productElement(place)));
        }
        var found = new LinkedHashMap<String, Object>();
        found.put("is", node.getClass().getName());
        found.put("at", List.of(line.isEmpty() ? 0 : line.get(), column.isEmpty() ? 0 : column.get()));
        found.put("has", has);
        return found;
    }

    private static List<Object> all(Iterator<?> values) {
        var found = new ArrayList<>();
        while (values.hasNext()) {
            found.add(toJson(values.next()));
        }
        return found;
    }
}
