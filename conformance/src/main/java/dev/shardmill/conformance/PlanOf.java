package dev.shardmill.conformance;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.TreeSet;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.data.LoadPlan;
import org.apache.accumulo.core.data.LoadPlan.RangeType;
import org.apache.accumulo.core.data.LoadPlan.SplitResolver;
import org.apache.hadoop.io.Text;

/**
 * {@code PlanOf [FILE... --splits LIST]... [FILE...]} prints the load plan of each file as Accumulo's JSON, one a line:
 * for files before a list of splits (one Base64 row a line) the TABLE ranges that {@code LoadPlan.compute} finds, for
 * those behind the last list one FILE range from first to last row.
 */
public final class PlanOf {
  private PlanOf() {}

  public static void main(String[] args) throws Exception {
    List<String> files = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      if (!args[i].equals("--splits")) {
        files.add(args[i]);
        continue;
      }
      String list = args[++i];
      for (String file : files) {
        System.out.println(tableRanges(file, list).toJson());
      }
      files.clear();
    }
    for (String file : files) {
      System.out.println(fileRange(file).toJson());
    }
    if (args.length == 0) {
      throw new IllegalArgumentException("usage: plan [FILE... --splits LIST]... [FILE...]");
    }
  }

  private static LoadPlan tableRanges(String file, String list) throws Exception {
    TreeSet<Text> splits = new TreeSet<>();
    for (String line : Files.readAllLines(Path.of(list), StandardCharsets.US_ASCII)) {
      splits.add(new Text(Base64.getDecoder().decode(line)));
    }
    return LoadPlan.compute(Path.of(file).toUri(), SplitResolver.from(splits));
  }

  private static LoadPlan fileRange(String file) throws Exception {
    Text first = null;
    Text last = null;
    try (Scanner scanner = ReadRFile.open(file)) {
      for (var cell : scanner) {
        last = cell.getKey().getRow();
        first = first == null ? last : first;
      }
    }
    LoadPlan.Builder plan = LoadPlan.builder();
    if (first != null) {
      plan.loadFileTo(Path.of(file).getFileName().toString(), RangeType.FILE, first, last);
    }
    return plan.build();
  }
}
