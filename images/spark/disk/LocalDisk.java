package metal.kafka.spark;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFs;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system with system calls of the JVM. Without its native library, which no package
 * contains, Hadoop starts a process {@code chmod} for each file that it creates and a {@code readlink} for
 * each file that it renames: dozens in a batch of several outputs.
 */
public final class LocalDisk extends LocalFileSystem {
  public LocalDisk() {
    super(new Raw());
  }

  private static final class Raw extends RawLocalFileSystem {
    private static final int SETGID = 02000;

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      if (permission.getStickyBit()) {
        super.setPermission(path, permission);
        return;
      }
      var file = pathToFile(path).toPath();
      // The setgid bit of a directory stays set, as with chmod.
      int kept = Files.isDirectory(file) ? (int) Files.getAttribute(file, "unix:mode") & SETGID : 0;
      Files.setAttribute(file, "unix:mode", permission.toShort() | kept);
    }

    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
      boolean isLink = Files.isSymbolicLink(pathToFile(path).toPath());
      return isLink ? super.getFileLinkStatus(path) : getFileStatus(path);
    }
  }

  /** The same for Hadoop's newer interface, which Spark's checkpoints use. */
  static final class Context extends ChecksumFs {
    Context(URI uri, Configuration settings) throws IOException, URISyntaxException {
      super(new RawContext(uri, settings));
    }
  }

  private static final class RawContext extends DelegateToFileSystem {
    RawContext(URI uri, Configuration settings) throws IOException, URISyntaxException {
      super(uri, new Raw(), settings, uri.getScheme(), false);
    }

    @Override
    public int getUriDefaultPort() {
      return -1;
    }

    /** The file system of the disk itself validates names. */
    @Override
    public boolean isValidName(String name) {
      return true;
    }
  }
}
