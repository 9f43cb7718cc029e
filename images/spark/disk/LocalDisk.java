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
 * Hadoop's local file system. Without its native library, which no package brings, it starts a process
 * {@code chmod} for each file that it makes and a {@code readlink} for each that it renames, dozens in a
 * batch of several outputs; here the JVM asks the kernel itself.
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
      // What a directory hands its group on by stays, as with chmod.
      int kept = Files.isDirectory(file) ? (int) Files.getAttribute(file, "unix:mode") & SETGID : 0;
      Files.setAttribute(file, "unix:mode", permission.toShort() | kept);
    }

    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
      boolean isLink = Files.isSymbolicLink(pathToFile(path).toPath());
      return isLink ? super.getFileLinkStatus(path) : getFileStatus(path);
    }
  }

  /** The same for who comes by Hadoop's newer interface, as Spark's checkpoints do. */
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

    /** What may be a name, the disk's own file system knows. */
    @Override
    public boolean isValidName(String name) {
      return true;
    }
  }
}
