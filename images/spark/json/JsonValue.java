package metal.kafka.spark;

import com.fasterxml.jackson.core.Base64Variants;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;

/** Converts a JSON value to a value of a Spark type. */
interface JsonValue {
    /** Jackson's limit for numbers: longer ones exceed decimals of Spark, and parsing time grows quadratically. */
    int MAX_DIGITS = 1_000;

    /**
     * Converts the value whose first token was read last to Spark's representation; null, and a mark, for another
     * type. Afterwards the parser is at the last token of the value.
     */
    Object read(JsonParser parser, byte[] source, JsonMarks marks) throws IOException;

    /** The converter for a type; throws for types that JSON cannot represent. */
    static JsonValue of(DataType type) {
        return switch (type) {
            case StringType text -> JsonValue::text;
            case BooleanType yes -> (parser, source, marks) -> switch (parser.currentToken()) {
                case VALUE_TRUE -> true;
                case VALUE_FALSE -> false;
                default -> markWrongType(parser, marks);
            };
            case ByteType whole -> whole(Byte.MIN_VALUE, Byte.MAX_VALUE, number -> (byte) number);
            case ShortType whole -> whole(Short.MIN_VALUE, Short.MAX_VALUE, number -> (short) number);
            case IntegerType whole -> whole(Integer.MIN_VALUE, Integer.MAX_VALUE, number -> (int) number);
            case LongType whole -> whole(Long.MIN_VALUE, Long.MAX_VALUE, number -> number);
            case FloatType broken -> (parser, source, marks) ->
                    parser.currentToken().isNumeric() ? (Object) parser.getFloatValue() : markWrongType(parser, marks);
            case DoubleType broken -> (parser, source, marks) ->
                    parser.currentToken().isNumeric() ? (Object) parser.getDoubleValue() : markWrongType(parser, marks);
            case DecimalType decimal -> (parser, source, marks) -> decimal(decimal, parser, marks);
            case DateType day -> parsed(DateTimeUtils::stringToDate);
            case TimestampNTZType clock -> parsed(text -> DateTimeUtils.stringToTimestampWithoutTimeZone(text, false));
            case BinaryType bytes -> JsonValue::bytes;
            case StructType object -> object(new JsonMembers(object));
            case ArrayType list -> list(of(list.elementType()));
            case MapType map -> map(of(map.valueType()));
            default -> throw new UnsupportedOperationException("JSON cannot represent " + type.sql());
        };
    }

    /** Skips a value of another type and sets the mark. */
    private static Object markWrongType(JsonParser parser, JsonMarks marks) throws IOException {
        marks.wrongType = true;
        parser.skipChildren();
        return null;
    }

    /** Any value can be text: the content of a string, the source text of other values. */
    private static Object text(JsonParser parser, byte[] source, JsonMarks marks) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            return string(parser, marks);
        }
        if (!parser.currentToken().isStructStart()) {
            return UTF8String.fromString(parser.getText());
        }
        int begin = (int) parser.currentTokenLocation().getByteOffset();
        parser.skipChildren();
        int end = (int) parser.currentLocation().getByteOffset();
        return UTF8String.fromBytes(Arrays.copyOfRange(source, begin, end));
    }

    /** Most strings are ASCII and need no encoder. */
    private static UTF8String string(JsonParser parser, JsonMarks marks) throws IOException {
        char[] from = parser.getTextCharacters();
        int offset = parser.getTextOffset();
        byte[] text = new byte[parser.getTextLength()];
        for (int at = 0; at < text.length; at++) {
            char one = from[offset + at];
            if (one >= 0x80) {
                return encoded(parser.getText(), marks);
            }
            text[at] = (byte) one;
        }
        return UTF8String.fromBytes(text);
    }

    /**
     * Text in UTF-8, and a mark for an unpaired surrogate such as {@code "\\ud800"}: it has no UTF-8 encoding,
     * and Java would write a question mark for each of the 2,048 surrogates.
     */
    private static UTF8String encoded(String text, JsonMarks marks) {
        // A pair is one code point; an unpaired surrogate is a code point of its own.
        marks.halved |= text.codePoints().anyMatch(
                point -> Character.MIN_SURROGATE <= point && point <= Character.MAX_SURROGATE);
        return UTF8String.fromString(text);
    }

    private static JsonValue whole(long least, long most, LongFunction<Object> narrowed) {
        return (parser, source, marks) -> {
            if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
                return markWrongType(parser, marks);
            }
            try {
                long number = parser.getLongValue();
                return least <= number && number <= most ? narrowed.apply(number) : markWrongType(parser, marks);
            } catch (InputCoercionException tooLong) {
                return markWrongType(parser, marks);
            }
        };
    }

    /** A number, or a number in quotes, which other JSON tools do not round to binary fractions. */
    private static Object decimal(DecimalType type, JsonParser parser, JsonMarks marks) throws IOException {
        JsonToken token = parser.currentToken();
        if (!token.isNumeric() && token != JsonToken.VALUE_STRING) {
            return markWrongType(parser, marks);
        }
        if (parser.getTextLength() > MAX_DIGITS) {
            return markWrongType(parser, marks);
        }
        try {
            BigDecimal number = token.isNumeric() ? parser.getDecimalValue() : new BigDecimal(parser.getText());
            // Decimal.apply expands all digits; those of 1e100000000 exceed the memory.
            long beforePoint = (long) number.precision() - number.scale();
            if (number.signum() == 0 || beforePoint < -type.scale()) {
                number = BigDecimal.ZERO;
            } else if (beforePoint > type.precision() - type.scale()) {
                return markWrongType(parser, marks);
            }
            return Decimal.apply(new scala.math.BigDecimal(number), type.precision(), type.scale());
        } catch (ArithmeticException | NumberFormatException other) {
            return markWrongType(parser, marks);
        }
    }

    /** Bytes in base64. */
    private static Object bytes(JsonParser parser, byte[] source, JsonMarks marks) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            return markWrongType(parser, marks);
        }
        try {
            return Base64Variants.getDefaultVariant().decode(parser.getText());
        } catch (IllegalArgumentException other) {
            return markWrongType(parser, marks);
        }
    }

    /** A string that a function of Spark parses. */
    private static JsonValue parsed(Function<UTF8String, Option<Object>> known) {
        return (parser, source, marks) -> {
            if (parser.currentToken() != JsonToken.VALUE_STRING) {
                return markWrongType(parser, marks);
            }
            Option<Object> found = known.apply(string(parser, marks));
            return found.isDefined() ? found.get() : markWrongType(parser, marks);
        };
    }

    private static JsonValue object(JsonMembers members) {
        return (parser, source, marks) -> {
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                return markWrongType(parser, marks);
            }
            Object[] row = new Object[members.width()];
            members.read(parser, source, marks, row);
            return new GenericInternalRow(row);
        };
    }

    private static JsonValue list(JsonValue element) {
        return (parser, source, marks) -> {
            if (parser.currentToken() != JsonToken.START_ARRAY) {
                return markWrongType(parser, marks);
            }
            List<Object> found = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                found.add(orNull(element, parser, source, marks));
            }
            return new GenericArrayData(found.toArray());
        };
    }

    private static JsonValue map(JsonValue value) {
        return (parser, source, marks) -> {
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                return markWrongType(parser, marks);
            }
            List<Object> keys = new ArrayList<>();
            List<Object> found = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                marks.twice |= !names.add(name);
                parser.nextToken();
                keys.add(encoded(name, marks));
                found.add(orNull(value, parser, source, marks));
            }
            return new ArrayBasedMapData(new GenericArrayData(keys.toArray()), new GenericArrayData(found.toArray()));
        };
    }

    private static Object orNull(JsonValue value, JsonParser parser, byte[] source, JsonMarks marks)
            throws IOException {
        return parser.currentToken() == JsonToken.VALUE_NULL ? null : value.read(parser, source, marks);
    }
}
