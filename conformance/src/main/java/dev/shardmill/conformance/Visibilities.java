package dev.shardmill.conformance;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.data.ByteSequence;
import org.apache.accumulo.core.security.ColumnVisibility;
import org.apache.accumulo.core.security.ColumnVisibility.Node;

/** Which authorisations a reader needs to see everything in some files. */
final class Visibilities {
  private Visibilities() {}

  /** The terms of all visibilities in the RFiles below a folder, unquoted. */
  static Collection<byte[]> termsOf(Path folder) throws IOException {
    Set<ByteSequence> expressions = new HashSet<>();
    try (var tree = Files.walk(folder)) {
      for (Path file : tree.filter(path -> path.toString().endsWith(".rf")).toList()) {
        try (Scanner scanner = ReadRFile.open(file.toString())) {
          scanner.forEach(cell -> expressions.add(cell.getKey().getColumnVisibilityData()));
        }
      }
    }
    Map<String, byte[]> terms = new TreeMap<>();
    for (ByteSequence expression : expressions) {
      if (expression.length() > 0) {
        ColumnVisibility visibility = new ColumnVisibility(expression.toArray());
        collect(visibility.getParseTree(), visibility.getExpression(), terms);
      }
    }
    return terms.values();
  }

  private static void collect(Node node, byte[] expression, Map<String, byte[]> terms) {
    if (node.getChildren().isEmpty()) {
      byte[] term = unquoted(node.getTerm(expression));
      terms.put(Tsv.escape(new StringBuilder(), term).toString(), term);
    }
    node.getChildren().forEach(child -> collect(child, expression, terms));
  }

  private static byte[] unquoted(ByteSequence term) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < term.length(); i++) {
      if (term.byteAt(i) == '\\' && i + 1 < term.length()) {
        i += 1;
      }
      bytes.write(term.byteAt(i));
    }
    return bytes.toByteArray();
  }
}
