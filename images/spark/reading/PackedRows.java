package metal.kafka.spark;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.Platform;

/**
 * Rows packed into blocks of bytes: without an object for each row, with a known size, and readable
 * without copying. Spark's own cache would convert rows to columns and back.
 */
final class PackedRows {
  private static final int BLOCK_BYTES = 1 << 18;

  private PackedRows() {}

  /** Packs rows into blocks; a row is its length (int) and its bytes. */
  static RDD<byte[]> pack(RDD<InternalRow> rows) {
    return rows.toJavaRDD().mapPartitions(Packing::new).rdd();
  }

  /** Unpacks blocks. The iterator reuses one row object, like Spark's own operators. */
  static RDD<InternalRow> unpack(RDD<byte[]> blocks, int fields) {
    return blocks
        .toJavaRDD()
        .<InternalRow>mapPartitions(each -> new Unpacking(each, fields))
        .rdd();
  }

  private static final class Packing implements Iterator<byte[]> {
    private final Iterator<InternalRow> rows;
    // First row of the next block. Not copied: the iterator reuses its object only in next().
    private UnsafeRow pending;

    Packing(Iterator<InternalRow> rows) {
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      return pending != null || rows.hasNext();
    }

    @Override
    public byte[] next() {
      byte[] block = new byte[BLOCK_BYTES];
      int used = 0;
      while (pending != null || rows.hasNext()) {
        UnsafeRow row = pending != null ? pending : (UnsafeRow) rows.next();
        pending = null;
        int size = Integer.BYTES + row.getSizeInBytes();
        if (used + size > block.length) {
          if (used > 0) {
            pending = row;
            break;
          }
          block = new byte[size];
        }
        Platform.putInt(block, Platform.BYTE_ARRAY_OFFSET + used, row.getSizeInBytes());
        row.writeToMemory(block, Platform.BYTE_ARRAY_OFFSET + used + Integer.BYTES);
        used += size;
      }
      return used == block.length ? block : Arrays.copyOf(block, used);
    }
  }

  private static final class Unpacking implements Iterator<InternalRow> {
    private final Iterator<byte[]> blocks;
    private final UnsafeRow row;
    private byte[] block = new byte[0];
    private int next;

    Unpacking(Iterator<byte[]> blocks, int fields) {
      this.blocks = blocks;
      this.row = new UnsafeRow(fields);
    }

    @Override
    public boolean hasNext() {
      while (next == block.length && blocks.hasNext()) {
        block = blocks.next();
        next = 0;
      }
      return next < block.length;
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      int size = Platform.getInt(block, Platform.BYTE_ARRAY_OFFSET + next);
      row.pointTo(block, Platform.BYTE_ARRAY_OFFSET + next + Integer.BYTES, size);
      next += Integer.BYTES + size;
      return row;
    }
  }
}
