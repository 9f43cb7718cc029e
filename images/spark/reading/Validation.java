package metal.kafka.spark;

import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.plans.logical.LeafNode;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.LogicalRDD;
import scala.Function1;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/** Validation of records: a plan whose only leaf is replaced by the records. */
record Validation(SparkSession spark, LogicalPlan template) {
  /** Runs the plan on {@code records}, which have the columns of its leaf. */
  RDD<InternalRow> of(RDD<InternalRow> records) {
    return Dataset.ofRows(spark, template.transformUp(new Leaf(records))).queryExecution().toRdd();
  }

  private final class Leaf extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
    private static final long serialVersionUID = 1;
    private final transient RDD<InternalRow> records;

    Leaf(RDD<InternalRow> records) {
      this.records = records;
    }

    @Override
    public boolean isDefinedAt(LogicalPlan plan) {
      return plan instanceof LeafNode;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <A extends LogicalPlan, B> B applyOrElse(A plan, Function1<A, B> otherwise) {
      return isDefinedAt(plan) ? (B) leaf(plan) : otherwise.apply(plan);
    }

    private LogicalPlan leaf(LogicalPlan plan) {
      Seq<SortOrder> unsorted = CollectionConverters.asScala(List.<SortOrder>of()).toList();
      return new LogicalRDD(
          plan.output(),
          records,
          new UnknownPartitioning(0),
          unsorted,
          false,
          Option.empty(),
          spark,
          Option.empty(),
          Option.empty());
    }
  }
}
