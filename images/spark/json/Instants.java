package metal.kafka.spark;

import java.time.LocalDate;
import java.time.YearMonth;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Parses the usual format of an instant, which ends in {@code Z} and has up to six fraction digits; null for other
 * formats, which Spark's cast may parse. The cast is slower: it matches two regular expressions for the time zone.
 */
public final class Instants implements ScalarFunction<Long> {
    private static final long serialVersionUID = 1L;
    /** Index of the {@code Z} in {@code 2026-05-01T12:00:00Z}, and the same with a point and six digits. */
    private static final int WHOLE = 19;
    private static final int LONGEST = WHOLE + 7;
    private static final int MICROS = 1_000_000;

    @Override
    public DataType[] inputTypes() {
        return new DataType[] {DataTypes.StringType};
    }

    @Override
    public DataType resultType() {
        return DataTypes.TimestampType;
    }

    @Override
    public String name() {
        return "instant";
    }

    /** Called by Spark, which requires this name: microseconds since 1970. */
    public Long invoke(UTF8String text) {
        if (text == null) {
            return null;
        }
        int last = text.numBytes() - 1;
        if (last < WHOLE || last > LONGEST || last == WHOLE + 1 || !isUsual(text, last)) {
            return null;
        }
        int year = digits(text, 0, 4);
        int month = digits(text, 5, 7);
        int day = digits(text, 8, 10);
        int hour = digits(text, 11, 13);
        int minute = digits(text, 14, 16);
        int second = digits(text, 17, 19);
        int fraction = last == WHOLE ? 0 : digits(text, WHOLE + 1, last);
        boolean isTime = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
        if (year < 1 || month < 1 || month > 12 || day < 1 || !isTime || fraction < 0) {
            return null;
        }
        if (day > YearMonth.of(year, month).lengthOfMonth()) {
            return null;
        }
        for (int place = last; place < LONGEST && last > WHOLE; place++) {
            fraction *= 10;
        }
        long seconds = LocalDate.of(year, month, day).toEpochDay() * 86_400 + hour * 3_600 + minute * 60 + second;
        return seconds * MICROS + fraction;
    }

    private static boolean isUsual(UTF8String text, int last) {
        return text.getByte(4) == '-'
                && text.getByte(7) == '-'
                && text.getByte(10) == 'T'
                && text.getByte(13) == ':'
                && text.getByte(16) == ':'
                && text.getByte(WHOLE) == (last == WHOLE ? 'Z' : '.')
                && text.getByte(last) == 'Z';
    }

    /** The number in these bytes; -1 if they are not all digits. */
    private static int digits(UTF8String text, int from, int to) {
        int number = 0;
        for (int at = from; at < to; at++) {
            int digit = text.getByte(at) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = 10 * number + digit;
        }
        return number;
    }
}
