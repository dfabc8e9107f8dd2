package dev.shardmill.conformance;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;

/** The local file system as Hadoop sees it, without its checksum files. */
final class LocalFiles {
  private LocalFiles() {}

  static FileSystem local() throws IOException {
    LocalFileSystem fs = FileSystem.getLocal(new Configuration());
    return fs.getRaw();
  }

  /** The table a file belongs to when nothing else is said: the folder that holds it. */
  static String tableOf(String file) {
    Path parent = Path.of(file).toAbsolutePath().normalize().getParent();
    return parent == null || parent.getFileName() == null ? "" : parent.getFileName().toString();
  }
}
