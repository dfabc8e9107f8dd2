package dev.shardmill.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.security.tokens.PasswordToken;
import org.apache.accumulo.minicluster.MiniAccumuloCluster;
import org.apache.accumulo.minicluster.MiniAccumuloConfig;

/**
 * {@code Cluster --work DIR [--script FILE] [--limit SECONDS]} starts one small Accumulo in DIR/mini, runs the
 * commands of FILE or standard input ({@link Commands}) line by line, prints OK or ERROR for each, stops what it
 * started and exits with 1 if any failed, with 124 when the time limit (600 s) is over.
 */
public final class Cluster {
  private static final String PASSWORD = "shardmill";

  private Cluster() {}

  public static void main(String[] args) throws Exception {
    Path work = null;
    Path script = null;
    long limit = 600;
    for (int i = 0; i + 1 < args.length; i += 2) {
      switch (args[i]) {
        case "--work" -> work = Path.of(args[i + 1]).toAbsolutePath();
        case "--script" -> script = Path.of(args[i + 1]);
        case "--limit" -> limit = Long.parseLong(args[i + 1]);
        default -> throw new IllegalArgumentException("unknown option " + args[i]);
      }
    }
    if (work == null || args.length % 2 == 1) {
      throw new IllegalArgumentException("usage: cluster --work DIR [--script FILE] [--limit SECONDS]");
    }
    Runtime.getRuntime().addShutdownHook(new Thread(Cluster::killDescendants));
    watch(limit);
    int failed = 1;
    try (Reader lines = script == null ? new InputStreamReader(System.in, StandardCharsets.UTF_8)
        : Files.newBufferedReader(script)) {
      failed = run(work, new BufferedReader(lines));
    } catch (Exception e) {
      e.printStackTrace();
    }
    killDescendants();
    System.out.flush();
    Runtime.getRuntime().halt(failed == 0 ? 0 : 1);
  }

  private static int run(Path work, BufferedReader lines) throws Exception {
    Path mini = Files.createDirectories(work.resolve("mini"));
    MiniAccumuloConfig config = new MiniAccumuloConfig(mini.toFile(), PASSWORD).setNumTservers(1);
    MiniAccumuloCluster cluster = new MiniAccumuloCluster(config);
    long start = System.nanoTime();
    cluster.start();
    try (AccumuloClient client = cluster.createAccumuloClient("root", new PasswordToken(PASSWORD))) {
      System.out.printf("OK start [%.1f s]%n", (System.nanoTime() - start) / 1e9);
      Path connection = work.resolve("accumulo-client.properties");
      try (Writer out = Files.newBufferedWriter(connection)) {
        cluster.getClientProperties().store(out, null);
      }
      return execute(new Commands(client, work, connection), lines);
    } finally {
      cluster.stop();
    }
  }

  /** Returns the number of commands that failed. A line that starts with {@code !} is expected to fail. */
  private static int execute(Commands commands, BufferedReader lines) throws IOException {
    int failed = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      line = line.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      boolean mustFail = line.startsWith("!");
      long start = System.nanoTime();
      String error = null;
      try {
        commands.run((mustFail ? line.substring(1) : line).strip());
      } catch (Exception e) {
        error = String.valueOf(e.getMessage() == null ? e : e.getMessage()).replaceAll("\\s*\\R\\s*", " | ");
      }
      boolean ok = (error != null) == mustFail;
      failed += ok ? 0 : 1;
      System.out.printf("%s %s%s [%.1f s]%n", ok ? "OK" : "ERROR", line,
          error != null ? ": " + error : ok ? "" : ": succeeded", (System.nanoTime() - start) / 1e9);
      System.out.flush();
    }
    return failed;
  }

  /** Ends the process, servers included, when the limit is over, whatever it is waiting for. */
  private static void watch(long seconds) {
    Thread watch = new Thread(() -> {
      try {
        Thread.sleep(seconds * 1000);
      } catch (InterruptedException e) {
        return;
      }
      System.out.println("ERROR the time limit of " + seconds + " s is over");
      System.out.flush();
      killDescendants();
      Runtime.getRuntime().halt(124);
    });
    watch.setDaemon(true);
    watch.start();
  }

  /** A start that failed leaves ZooKeeper running: stop() alone does not do. */
  private static void killDescendants() {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }
}
