package metal.kafka.spark;

/** Errors found so far while parsing a value, see {@link JsonObjects}. */
final class JsonMarks {
    boolean wrongType;
    boolean twice;
    boolean halved;
}
