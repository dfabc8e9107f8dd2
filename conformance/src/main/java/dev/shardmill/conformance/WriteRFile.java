package dev.shardmill.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.accumulo.core.client.rfile.RFile;
import org.apache.accumulo.core.client.rfile.RFileWriter;
import org.apache.accumulo.core.data.ArrayByteSequence;
import org.apache.accumulo.core.data.ByteSequence;

/**
 * {@code WriteRFile --out FILE.rf [--codec C] [--block-size N] [--index-block-size N] [--group NAME=FAM,FAM]...
 * [--container 3]} writes the sorted {@link Tsv} lines on standard input with Accumulo's own writer.
 */
public final class WriteRFile {
  private WriteRFile() {}

  public static void main(String[] args) throws Exception {
    String out = null;
    Map<String, String> properties = new HashMap<>();
    Map<String, List<byte[]>> groups = new LinkedHashMap<>();
    for (int i = 0; i + 1 < args.length; i += 2) {
      String value = args[i + 1];
      switch (args[i]) {
        case "--out" -> out = value;
        case "--codec" -> properties.put("table.file.compress.type", value);
        case "--block-size" -> properties.put("table.file.compress.blocksize", value + "B");
        case "--index-block-size" -> properties.put("table.file.compress.blocksize.index", value + "B");
        case "--group" -> {
          String[] group = value.split("=", 2);
          groups.put(group[0], Tsv.unescapeList(group[1]));
        }
        case "--container" -> require(value.equals("3"), "Accumulo 2.1 writes container version 3 only");
        default -> throw new IllegalArgumentException("unknown option " + args[i]);
      }
    }
    require(out != null && args.length % 2 == 0, "usage: write --out FILE.rf [--codec C] [--block-size N]"
        + " [--index-block-size N] [--group NAME=FAM,FAM]... [--container 3] < TSV");
    write(out, properties, groups);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  private static void write(String out, Map<String, String> properties, Map<String, List<byte[]>> groups)
      throws IOException {
    Map<ByteSequence, String> groupOf = new HashMap<>();
    Map<String, List<Tsv.Cell>> cells = new LinkedHashMap<>();
    groups.forEach((name, families) -> {
      cells.put(name, new ArrayList<>());
      families.forEach(family -> groupOf.put(new ArrayByteSequence(family), name));
    });
    List<Tsv.Cell> rest = new ArrayList<>();
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Tsv.Cell cell = Tsv.parse(line);
        String group = groupOf.get(cell.key().getColumnFamilyData());
        (group == null ? rest : cells.get(group)).add(cell);
      }
    }
    Path path = Path.of(out).toAbsolutePath();
    RFileWriter writer = RFile.newWriter().to(path.toString()).withFileSystem(LocalFiles.local())
        .withTableProperties(properties).build();
    try (writer) {
      for (var group : groups.entrySet()) {
        writer.startNewLocalityGroup(group.getKey(), group.getValue().toArray(new byte[0][]));
        append(writer, cells.get(group.getKey()));
      }
      writer.startDefaultLocalityGroup();
      append(writer, rest);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  private static void append(RFileWriter writer, List<Tsv.Cell> cells) throws IOException {
    for (Tsv.Cell cell : cells) {
      writer.append(cell.key(), cell.value());
    }
  }
}
