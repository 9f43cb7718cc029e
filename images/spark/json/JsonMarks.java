package metal.kafka.spark;

/** Errors found so far while parsing a value, see {@link JsonObjects}. */
final class JsonMarks {
    boolean misfit;
    boolean twice;
    boolean halved;
}
