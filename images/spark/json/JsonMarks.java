package metal.kafka.spark;

/** How reading a value has gone so far. */
final class JsonMarks {
    boolean misfit;
    boolean twice;
    boolean halved;
}
