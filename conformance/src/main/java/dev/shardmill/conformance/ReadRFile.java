package dev.shardmill.conformance;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map.Entry;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.client.rfile.RFile;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Range;
import org.apache.accumulo.core.data.Value;

/**
 * {@code ReadRFile [--table NAME] [--seek N] FILE...} prints every entry of RFiles, deletes and all versions included,
 * as {@link Tsv} lines, and fails when keys are out of order. With {@code --seek N} it also looks up about N of each
 * file's keys again, one by one through the file's index.
 */
public final class ReadRFile {
  private ReadRFile() {}

  public static void main(String[] args) throws Exception {
    String table = null;
    int seeks = 0;
    List<String> files = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--table" -> table = args[++i];
        case "--seek" -> seeks = Integer.parseInt(args[++i]);
        default -> files.add(args[i]);
      }
    }
    if (files.isEmpty()) {
      throw new IllegalArgumentException("usage: read [--table NAME] [--seek N] FILE...");
    }
    try (Writer out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.US_ASCII), 1 << 16)) {
      for (String file : files) {
        read(file, table == null ? LocalFiles.tableOf(file) : table, seeks, out);
      }
    }
  }

  private static void read(String file, String table, int seeks, Writer out) throws IOException {
    List<Key> sample = new ArrayList<>();
    try (Scanner scanner = open(file)) {
      long entries = 0;
      long step = 1;
      Key last = null;
      for (Entry<Key, Value> cell : scanner) {
        Key key = cell.getKey();
        if (last != null && last.compareTo(key) > 0) {
          throw new IOException(file + ": entry " + entries + " is out of order: " + key + " after " + last);
        }
        last = key;
        out.append(Tsv.format(table, key, cell.getValue())).append('\n');
        if (seeks > 0 && entries % step == 0) {
          sample.add(key);
          if (sample.size() >= 2 * seeks) {
            step *= 2;
            thin(sample);
          }
        }
        entries += 1;
      }
      for (Key key : sample) {
        seek(scanner, key, file);
      }
    } catch (RuntimeException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  static Scanner open(String file) throws IOException {
    return RFile.newScanner().from(Path.of(file).toAbsolutePath().toString()).withFileSystem(LocalFiles.local())
        .withoutSystemIterators().build();
  }

  private static void thin(List<Key> sample) {
    for (int i = 0; i < sample.size(); i++) {
      sample.remove(i);
    }
  }

  private static void seek(Scanner scanner, Key key, String file) throws IOException {
    scanner.setRange(new Range(key, true, null, false));
    Iterator<Entry<Key, Value>> found = scanner.iterator();
    if (!found.hasNext() || !found.next().getKey().equals(key)) {
      throw new IOException(file + ": a seek did not find " + key);
    }
  }
}
