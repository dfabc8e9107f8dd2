package dev.shardmill.conformance;

import org.apache.accumulo.core.file.rfile.PrintInfo;

/** {@code InfoRFile ARGS...}: Accumulo's own {@code rfile-info} with the same arguments. */
public final class InfoRFile {
  private InfoRFile() {}

  public static void main(String[] args) throws Exception {
    PrintInfo.main(args);
  }
}
