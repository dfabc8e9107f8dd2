package dev.shardmill.conformance;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.Value;

/**
 * One cell a line, eight columns, no header: table, row, family, qualifier, visibility, timestamp, deleted (0 or 1),
 * value. In a column {@code \\} is a backslash, {@code \xNN} (lower-case hex) every byte outside 0x20-0x7e, and every
 * other byte stands for itself.
 */
final class Tsv {
  record Cell(Key key, Value value) {}

  private static final String HEX = "0123456789abcdef";

  private Tsv() {}

  static String format(String table, Key key, Value value) {
    StringBuilder line = new StringBuilder(128);
    line.append(table).append('\t');
    escape(line, key.getRowData().toArray()).append('\t');
    escape(line, key.getColumnFamilyData().toArray()).append('\t');
    escape(line, key.getColumnQualifierData().toArray()).append('\t');
    escape(line, key.getColumnVisibilityData().toArray()).append('\t');
    line.append(key.getTimestamp()).append('\t').append(key.isDeleted() ? '1' : '0').append('\t');
    return escape(line, value.get()).toString();
  }

  static Cell parse(String line) throws IOException {
    String[] column = line.split("\t", -1);
    if (column.length != 8) {
      throw new IOException("expected 8 columns, found " + column.length + ": " + line);
    }
    boolean deleted = switch (column[6]) {
      case "0" -> false;
      case "1" -> true;
      default -> throw new IOException("deleted is neither 0 nor 1: " + line);
    };
    Key key = new Key(unescape(column[1]), unescape(column[2]), unescape(column[3]), unescape(column[4]),
        Long.parseLong(column[5]), deleted);
    return new Cell(key, new Value(unescape(column[7])));
  }

  static StringBuilder escape(StringBuilder out, byte[] bytes) {
    for (byte b : bytes) {
      if (b == '\\') {
        out.append("\\\\");
      } else if (b < 0x20 || b > 0x7e) {
        out.append("\\x").append(HEX.charAt((b >> 4) & 15)).append(HEX.charAt(b & 15));
      } else {
        out.append((char) b);
      }
    }
    return out;
  }

  static byte[] unescape(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\\') {
        if (c < 0x20 || c > 0x7e) {
          throw new IOException("a byte that should be escaped: " + text);
        }
        bytes.write(c);
      } else if (text.startsWith("\\\\", i)) {
        bytes.write('\\');
        i += 1;
      } else if (text.startsWith("\\x", i) && i + 4 <= text.length()) {
        bytes.write(Integer.parseInt(text.substring(i + 2, i + 4), 16));
        i += 3;
      } else {
        throw new IOException("bad escape: " + text);
      }
    }
    return bytes.toByteArray();
  }

  /** Splits at commas and unescapes each part: the families of a locality group. */
  static List<byte[]> unescapeList(String text) throws IOException {
    List<byte[]> parts = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      parts.add(unescape(part));
    }
    return parts;
  }
}
