package dev.shardmill.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.client.admin.CompactionConfig;
import org.apache.accumulo.core.client.admin.NewTableConfiguration;
import org.apache.accumulo.core.client.admin.TableOperations;
import org.apache.accumulo.core.data.Key;
import org.apache.accumulo.core.data.LoadPlan;
import org.apache.accumulo.core.data.Value;
import org.apache.accumulo.core.security.Authorizations;
import org.apache.hadoop.io.Text;

/** The commands that {@link Cluster} understands; README.md lists them. Words are separated by blanks. */
final class Commands {
  private static final long PATIENCE_SECONDS = 60;

  private static final String JSHELL_INIT = """
      import org.apache.accumulo.core.client.*;
      import org.apache.accumulo.core.client.admin.*;
      import org.apache.accumulo.core.client.rfile.*;
      import org.apache.accumulo.core.data.*;
      import org.apache.accumulo.core.security.*;
      import org.apache.accumulo.minicluster.*;
      import org.apache.hadoop.io.Text;
      System.out.println("Preparing JShell for Apache Accumulo");
      AccumuloClient client = null;
      """;

  private final AccumuloClient client;
  private final TableOperations tables;
  private final Path work;
  private final Path clientProperties;
  private final Map<String, String> environment = new HashMap<>();

  Commands(AccumuloClient client, Path work, Path clientProperties) {
    this.client = client;
    this.tables = client.tableOperations();
    this.work = work;
    this.clientProperties = clientProperties;
    environment.put("SHARDMILL_COUNT", "1");
    environment.put("SHARDMILL_STAGING", work.resolve("staging").toString());
  }

  void run(String line) throws Exception {
    String[] words = line.split("\\s+");
    String[] args = Arrays.copyOfRange(words, 1, words.length);
    switch (words[0]) {
      case "jshell" -> jshell(false, absolute(args[0]), List.of(args).subList(1, args.length));
      case "accumulo-jshell" -> jshell(true, absolute(args[0]), List.of(args).subList(1, args.length));
      case "shell" -> shell(absolute(args[0]));
      case "env" -> setEnvironment(args[0]);
      case "auths" -> grant(args[0]);
      case "scan" -> scan(args[0], Path.of(args[1]));
      case "tables" -> tables.list().forEach(System.out::println);
      case "createtable" -> tables.create(args[0], new NewTableConfiguration().withoutDefaultIterators());
      case "droptable" -> tables.delete(args[0]);
      case "dropnamespace" -> client.namespaceOperations().delete(args[0]);
      case "addsplits" -> tables.addSplits(args[0], rows(args));
      case "splits" -> tables.listSplits(args[0]).forEach(row -> System.out.println(base64(row)));
      case "merge" -> tables.merge(args[0], null, null);
      case "compact" -> tables.compact(args[0], new CompactionConfig().setFlush(true).setWait(true));
      case "config" -> config(args[0], line.split("\\s+", 3)[2]);
      case "properties" -> new TreeMap<>(tables.getTableProperties(args[0])).forEach(Commands::printProperty);
      case "import" -> importFolder(args[0], args[1], args.length > 2 ? Path.of(args[2]) : null);
      default -> throw new IllegalArgumentException("unknown command");
    }
  }

  /**
   * Runs load.jsh by the JDK's jshell, or in the way of {@code accumulo jshell}: the class path is in the environment,
   * and a start-up script has made imports of its own.
   */
  private void jshell(boolean likeAccumulo, Path run, List<String> options) throws Exception {
    String classPath = System.getProperty("java.class.path");
    List<String> command = new ArrayList<>(List.of(java("jshell")));
    if (likeAccumulo) {
      Path startup = Files.writeString(work.resolve("jshell-init.jsh"), JSHELL_INIT);
      command.addAll(List.of("--startup", "DEFAULT", "--startup", startup.toString()));
    } else {
      command.addAll(List.of("-s", "--class-path", classPath));
    }
    command.addAll(options);
    command.add(run.resolve("load/load.jsh").toString());
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    if (likeAccumulo) {
      builder.environment().put("CLASSPATH", classPath);
    }
    builder.environment().put("ACCUMULO_CLIENT_PROPS", clientProperties.toString());
    builder.environment().put("SHARDMILL_RUN", run.toString());
    await(builder);
  }

  /** Does by hand what load.shell asks for: stages a copy of the files, then runs the script from the run folder. */
  private void shell(Path run) throws Exception {
    Path staging = Files.createDirectories(Path.of(environment.get("SHARDMILL_STAGING"))).resolve("shell");
    StringBuilder script = new StringBuilder();
    for (String line : Files.readAllLines(run.resolve("load/load.shell"), UTF_8)) {
      script.append(line.replaceAll("/tmp/shardmill-[0-9a-f]+", staging.toString())).append('\n');
    }
    Path copy = Files.writeString(Files.createTempFile(work, "load", ".shell"), script);
    try (var folders = Files.list(run.resolve("tables"))) {
      for (Path folder : folders.toList()) {
        copyFolder(folder, Files.createDirectories(staging.resolve(folder.getFileName())));
      }
    }
    await(new ProcessBuilder(java("java"), "-cp", System.getProperty("java.class.path"),
        "org.apache.accumulo.shell.Shell", "--config-file", clientProperties.toString(), "-f", copy.toString())
        .directory(run.toFile()));
  }

  private static void copyFolder(Path from, Path to) throws IOException {
    try (var files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  private static Path absolute(String path) {
    return Path.of(path).toAbsolutePath().normalize();
  }

  private static String java(String tool) {
    return Path.of(System.getProperty("java.home"), "bin", tool).toString();
  }

  private static void await(ProcessBuilder builder) throws Exception {
    Process process = builder.redirectErrorStream(true).start();
    process.getOutputStream().close();
    try (BufferedReader lines = process.inputReader()) {
      lines.lines().filter(line -> !line.startsWith("NOTE: Picked up")).forEach(line -> {
        System.out.println("  | " + line);
        System.out.flush();
      });
    }
    if (process.waitFor() != 0) {
      throw new IOException("exit code " + process.exitValue());
    }
  }

  private void setEnvironment(String assignment) {
    String[] pair = assignment.split("=", 2);
    if (pair.length == 2) {
      environment.put(pair[0], pair[1]);
    } else {
      environment.remove(pair[0]);
    }
  }

  /** Grants root the named authorisations, or all that a run folder's files mention, beside those it has. */
  private void grant(String namesOrRun) throws Exception {
    Path run = Path.of(namesOrRun);
    Collection<byte[]> names = new ArrayList<>(client.securityOperations().getUserAuthorizations("root")
        .getAuthorizations());
    if (Files.isDirectory(run)) {
      names.addAll(Visibilities.termsOf(run.resolve("tables")));
    } else {
      for (String name : namesOrRun.split(",")) {
        names.add(name.getBytes(UTF_8));
      }
    }
    Authorizations all = new Authorizations(names);
    client.securityOperations().changeUserAuthorizations("root", all);
    awaitGrant(all);
  }

  /** Servers hear of a change a little later; until then they refuse a scan. */
  private void awaitGrant(Authorizations all) throws Exception {
    for (long left = PATIENCE_SECONDS * 10;; left--) {
      try (Scanner scanner = client.createScanner("accumulo.metadata", all)) {
        scanner.iterator().hasNext();
        return;
      } catch (RuntimeException e) {
        if (left == 0) {
          throw e;
        }
        Thread.sleep(100);
      }
    }
  }

  private void scan(String table, Path out) throws Exception {
    Authorizations all = client.securityOperations().getUserAuthorizations("root");
    try (Scanner scanner = client.createScanner(table, all); Writer writer = Files.newBufferedWriter(out)) {
      scanner.setTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS);
      Key last = null;
      long entries = 0;
      for (Entry<Key, Value> cell : scanner) {
        if (last != null && last.compareTo(cell.getKey()) > 0) {
          throw new IOException("out of order: " + cell.getKey() + " after " + last);
        }
        last = cell.getKey();
        entries += 1;
        writer.append(Tsv.format(table, last, cell.getValue())).append('\n');
      }
      System.out.println("  | " + entries + " entries");
    }
  }

  private static SortedSet<Text> rows(String[] tableAndRows) {
    SortedSet<Text> rows = new TreeSet<>();
    for (String row : List.of(tableAndRows).subList(1, tableAndRows.length)) {
      rows.add(new Text(Base64.getDecoder().decode(row)));
    }
    return rows;
  }

  private static String base64(Text row) {
    return Base64.getEncoder().encodeToString(row.copyBytes());
  }

  private static void printProperty(String key, String value) {
    System.out.println(key + "=" + value);
  }

  private void config(String table, String keyOrAssignment) throws Exception {
    String[] pair = keyOrAssignment.split("=", 2);
    if (pair.length == 2) {
      tables.setProperty(table, pair[0], pair[1]);
    } else {
      printProperty(pair[0], tables.getConfiguration(table).get(pair[0]));
    }
  }

  /** Imports a folder, which it consumes, with a plan or without. */
  private void importFolder(String table, String folder, Path plan) throws Exception {
    var load = tables.importDirectory(folder).to(table);
    (plan == null ? load : load.plan(LoadPlan.fromJson(Files.readString(plan)))).load();
  }
}
