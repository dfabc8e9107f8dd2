// Hands a published Shardmill run to Accumulo: makes its tables, imports its files, records what was loaded.
//
// How to run (either; both exit with 0 when everything is loaded and with 1 at the first failure):
//
//   SHARDMILL_RUN=/data/out accumulo jshell /data/out/load/load.jsh
//   SHARDMILL_RUN=/data/out ACCUMULO_CLIENT_PROPS=/etc/accumulo/accumulo-client.properties \
//       CLASSPATH="$(accumulo classpath)" jshell -s /data/out/load/load.jsh
//
// It can be run again at any time, after a success, a failure or a kill: a table that was loaded is left alone, and a
// table whose import was cut short is either finished or stopped at with a message, never loaded twice. Do not run it
// twice at the same time for one run.
//
// What it needs: Accumulo's client 2.1.4 or later and Java 11 or later; a user with the permissions to create tables,
// or to alter, write, read and bulk-import those that exist; a staging folder on a file system that is one of
// Accumulo's volumes, out of which the servers' user may move files. Check the run against its manifest first: with a
// load plan Accumulo does not open the files before it takes them.
//
// Settings, as environment variables or as system properties (jshell: -R-Dname=value):
//
//   SHARDMILL_RUN           the run folder, the parent of this script's folder; default: the current folder
//   ACCUMULO_CLIENT_PROPS   the connection: path of an accumulo-client.properties; also as SHARDMILL_CLIENT_PROPS;
//                           default: the accumulo-client.properties on the class path
//   SHARDMILL_STAGING       where the copy that the import consumes goes, a path or a URI on the cluster's file system;
//                           default: /tmp. A folder shardmill-<run id> is made in it and removed at the end.
//   SHARDMILL_ADD_SPLITS=0  leaves the splits of a table that exists as they are
//   SHARDMILL_COUNT=1       counts the entries that a scan of each table shows
//
// For every table, in the order of run.properties:
//   1. Make it, without default iterators, with the run's properties and splits. If it exists, set the properties that
//      it lacks, report those that differ, add the splits that it lacks.
//   2. Copy its files to a new staging folder: an import moves them away.
//   3. Import them by the TABLE plan, which names tablets, when all split rows of the plan exist in the table, else by
//      the FILE plan, which names the first and last row of each file.
//   4. Record the number of entries in the table's property table.custom.shardmill.<first 16 digits of the run id>.
//      While an import is under way the record says "loading FOLDER".

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.accumulo.core.client.Accumulo;
import org.apache.accumulo.core.client.AccumuloClient;
import org.apache.accumulo.core.client.Scanner;
import org.apache.accumulo.core.client.admin.NewTableConfiguration;
import org.apache.accumulo.core.client.admin.TableOperations;
import org.apache.accumulo.core.data.LoadPlan;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.Text;

class ShardmillLoad {
    static final String LOADING = "loading ";
    static final int COPY_THREADS = 4;
    static final int PATIENCE_SECONDS = 60;

    final AccumuloClient client;
    final TableOperations tables;
    final Path run;
    final FileSystem fs;
    final org.apache.hadoop.fs.Path staging;
    final String record;

    ShardmillLoad(AccumuloClient client, Path run, String runId) throws IOException {
        this.client = client;
        this.tables = client.tableOperations();
        this.run = run;
        this.record = "table.custom.shardmill." + runId.substring(0, 16);
        org.apache.hadoop.fs.Path folder = new org.apache.hadoop.fs.Path(
            setting("SHARDMILL_STAGING", "/tmp"), "shardmill-" + runId);
        this.fs = folder.getFileSystem(new Configuration());
        this.fs.setWriteChecksum(false); // a local file system would leave .crc files beside the copies
        this.staging = fs.makeQualified(folder);
    }

    /** Loads the whole run and returns the exit code. */
    static int main() {
        try {
            Path run = Path.of(setting("SHARDMILL_RUN", ".")).toAbsolutePath().normalize();
            Map<String, String> description = readProperties(run.resolve("load/run.properties"));
            try (AccumuloClient client = Accumulo.newClient().from(connection()).build()) {
                ShardmillLoad load = new ShardmillLoad(client, run, description.get("runId"));
                for (String table : description.get("tables").split(",")) {
                    load.load(table);
                }
                load.removeStaging();
            }
            return 0;
        } catch (Throwable e) {
            System.out.println("FAILED: " + e);
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                System.out.println("  because of " + cause);
            }
            return 1;
        }
    }

    void load(String table) throws Exception {
        String entries = Files.readString(part(table, ".count")).strip();
        String state = tables.exists(table) ? tables.getTableProperties(table).get(record) : null;
        if (state != null && !state.startsWith(LOADING)) {
            say("skipped %s: this run was loaded before (%s entries)", table, state);
        } else {
            List<Path> files = filesOf(table);
            prepare(table);
            String plan = "none";
            if (!files.isEmpty()) {
                plan = finishedBefore(table, state, files.size()) ? "of an earlier try" : importFiles(table, files);
            }
            tables.setProperty(table, record, entries);
            say("loaded %s: %d files, %s entries, plan %s", table, files.size(), entries, plan);
        }
        if (setting("SHARDMILL_COUNT", "0").equals("1")) {
            say("counted %s: a scan shows %d entries", table, count(table));
        }
    }

    // ---- The table

    void prepare(String table) throws Exception {
        Map<String, String> properties = readProperties(part(table, ".properties"));
        TreeSet<Text> splits = readSplits(part(table, ".splits"));
        if (tables.exists(table)) {
            adjustProperties(table, properties);
            splits.removeAll(tables.listSplits(table));
            if (!splits.isEmpty() && !setting("SHARDMILL_ADD_SPLITS", "1").equals("0")) {
                tables.addSplits(table, splits);
                say("%s: added %d splits", table, splits.size());
            }
            return;
        }
        int dot = table.indexOf('.');
        if (dot > 0 && !client.namespaceOperations().exists(table.substring(0, dot))) {
            client.namespaceOperations().create(table.substring(0, dot));
        }
        NewTableConfiguration made = new NewTableConfiguration().withoutDefaultIterators().setProperties(properties);
        tables.create(table, splits.isEmpty() ? made : made.withSplits(splits));
        say("%s: created with %d properties and %d splits", table, properties.size(), splits.size());
    }

    /** Never changes what somebody has set: that is reported, and left to the operator. */
    void adjustProperties(String table, Map<String, String> wanted) throws Exception {
        Map<String, String> own = tables.getTableProperties(table);
        Map<String, String> inForce = tables.getConfiguration(table);
        Map<String, String> missing = new LinkedHashMap<>();
        wanted.forEach((key, value) -> {
            if (own.containsKey(key) && !value.equals(own.get(key))) {
                say("%s: DIFFERS: %s is %s, the run wants %s", table, key, own.get(key), value);
            } else if (!value.equals(inForce.get(key))) {
                missing.put(key, value);
            }
        });
        if (!missing.isEmpty()) {
            tables.modifyProperties(table, properties -> properties.putAll(missing));
            say("%s: set %s", table, missing);
        }
        for (String key : new TreeSet<>(inForce.keySet())) {
            if (key.startsWith("table.iterator.") && !wanted.containsKey(key)) {
                say("%s: DIFFERS: %s is %s, the run does not know it", table, key, inForce.get(key));
            }
        }
    }

    // ---- The import

    /** Returns the kind of the plan that did it. */
    String importFiles(String table, List<Path> files) throws Exception {
        LoadPlan exact = LoadPlan.fromJson(Files.readString(part(table, ".plan.json")));
        boolean namesTablets = exact.getDestinations().stream()
            .anyMatch(to -> to.getRangeType() == LoadPlan.RangeType.TABLE);
        if (namesTablets && splitsExist(table, exact)) {
            Exception refusal = handOver(table, files, exact);
            if (refusal == null) {
                return "TABLE";
            }
            if (!String.valueOf(refusal.getMessage()).contains("do not exist")) {
                throw refusal;
            }
            say("%s: its splits changed meanwhile: %s", table, refusal.getMessage());
        }
        LoadPlan byRows = LoadPlan.fromJson(Files.readString(part(table, ".file-plan.json")));
        Exception refusal = handOver(table, files, byRows);
        if (refusal != null) {
            throw refusal;
        }
        return "FILE";
    }

    boolean splitsExist(String table, LoadPlan plan) throws Exception {
        Set<Text> splits = new HashSet<>(tables.listSplits(table));
        return plan.getDestinations().stream()
            .flatMap(to -> Stream.of(to.getStartRow(), to.getEndRow()).filter(row -> row != null))
            .allMatch(row -> splits.contains(new Text(row)));
    }

    /** One try, in a folder of its own. Returns null when Accumulo has the files, else the reason why it has none. */
    Exception handOver(String table, List<Path> files, LoadPlan plan) throws Exception {
        org.apache.hadoop.fs.Path folder = stage(table, files);
        tables.setProperty(table, record, LOADING + folder);
        try {
            tables.importDirectory(folder.toString()).to(table).plan(plan).load();
            return null;
        } catch (Exception e) {
            if (wasTaken(table, folder, files.size())) {
                say("%s: Accumulo took the files, although the import said: %s", table, e);
                return null;
            }
            tables.removeProperty(table, record);
            return e;
        }
    }

    boolean finishedBefore(String table, String state, int files) throws Exception {
        return state != null
            && wasTaken(table, new org.apache.hadoop.fs.Path(state.substring(LOADING.length())), files);
    }

    /**
     * Whether Accumulo took the files of a try that did not return: true when all are gone, false when none is. Once
     * all are gone its manager finishes the import by itself. A folder that still has all is renamed, so that an
     * import which waits somewhere cannot begin after we looked.
     */
    boolean wasTaken(String table, org.apache.hadoop.fs.Path folder, int files) throws Exception {
        int left = staged(folder);
        for (int second = 0; left > 0 && left < files && second < PATIENCE_SECONDS; second++) {
            Thread.sleep(1000);
            left = staged(folder);
        }
        if (left == files && fs.exists(folder)) {
            org.apache.hadoop.fs.Path aside = folder.suffix("-given-up");
            if (!fs.rename(folder, aside)) {
                throw new IOException(table + ": cannot rename " + folder);
            }
            left = staged(aside);
        }
        if (left != 0 && left != files) {
            throw new IOException(table + ": an import stopped half way: " + left + " of " + files + " files are left in "
                + folder + ". See the manager's log and `accumulo admin fate --list`. If nothing moves any more, restore"
                + " or drop the table, delete its property " + record + " if it still has it, and run this again.");
        }
        return left == 0;
    }

    /** The number of files in a try's folder; all of a folder that was set aside are still there. */
    int staged(org.apache.hadoop.fs.Path folder) throws IOException {
        org.apache.hadoop.fs.Path aside = folder.suffix("-given-up");
        org.apache.hadoop.fs.Path there = fs.exists(folder) ? folder : aside;
        if (!fs.exists(there)) {
            throw new IOException(folder + " is gone: nobody can tell whether its files were imported. Compare the table"
                + " with the run; then set its property " + record + " to the number of entries, or delete it to load.");
        }
        int files = 0;
        for (FileStatus file : fs.listStatus(there)) {
            files += file.getPath().getName().endsWith(".rf") ? 1 : 0;
        }
        return files;
    }

    // ---- The staging folder

    org.apache.hadoop.fs.Path stage(String table, List<Path> files) throws Exception {
        org.apache.hadoop.fs.Path folder;
        int number = 1;
        do {
            folder = new org.apache.hadoop.fs.Path(staging, table + "/try-" + number++);
        } while (fs.exists(folder) || fs.exists(folder.suffix("-given-up")));
        fs.mkdirs(folder);
        org.apache.hadoop.fs.Path target = folder;
        ExecutorService threads = Executors.newFixedThreadPool(COPY_THREADS);
        try {
            List<Future<Void>> copies = new ArrayList<>();
            for (Path file : files) {
                copies.add(threads.submit(() -> copy(file, target)));
            }
            for (Future<Void> copy : copies) {
                copy.get();
            }
        } finally {
            threads.shutdownNow();
        }
        return folder;
    }

    Void copy(Path file, org.apache.hadoop.fs.Path folder) throws IOException {
        org.apache.hadoop.fs.Path to = new org.apache.hadoop.fs.Path(folder, file.getFileName().toString());
        fs.copyFromLocalFile(false, false, new org.apache.hadoop.fs.Path(file.toUri()), to);
        if (fs.getFileStatus(to).getLen() != Files.size(file)) {
            throw new IOException("the copy of " + file + " differs in length");
        }
        return null;
    }

    /** The folder is ours by its name, and every table of the run has been loaded. */
    void removeStaging() throws IOException {
        fs.delete(staging, true);
    }

    // ---- What the run folder holds

    Path part(String table, String suffix) {
        return run.resolve("load").resolve(table + suffix);
    }

    List<Path> filesOf(String table) throws IOException {
        Path folder = run.resolve("tables").resolve(table);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".rf")).sorted().collect(Collectors.toList());
        }
    }

    static TreeSet<Text> readSplits(Path file) throws IOException {
        TreeSet<Text> splits = new TreeSet<>();
        for (String line : Files.readAllLines(file)) {
            if (!line.isEmpty()) {
                splits.add(new Text(Base64.getDecoder().decode(line)));
            }
        }
        return splits;
    }

    /** One key=value a line, nothing escaped, all after the first = is the value; lines with # are comments. */
    static Map<String, String> readProperties(Path file) throws IOException {
        Map<String, String> properties = new LinkedHashMap<>();
        for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            int equals = line.indexOf('=');
            if (equals < 1) {
                throw new IOException(file + ": no key=value: " + line);
            }
            properties.put(line.substring(0, equals), line.substring(equals + 1));
        }
        return properties;
    }

    // ---- The rest

    long count(String table) throws Exception {
        long entries = 0;
        try (Scanner scanner = client.createScanner(table)) { // with all authorisations of the user
            for (Map.Entry<?, ?> entry : scanner) {
                entries += 1;
            }
        }
        return entries;
    }

    static Properties connection() throws IOException {
        String path = setting("ACCUMULO_CLIENT_PROPS", setting("SHARDMILL_CLIENT_PROPS", ""));
        Properties properties = new Properties();
        try (InputStream in = path.isEmpty()
            ? Accumulo.class.getClassLoader().getResourceAsStream("accumulo-client.properties")
            : Files.newInputStream(Path.of(path))) {
            if (in == null) {
                throw new IOException("no connection: set ACCUMULO_CLIENT_PROPS");
            }
            properties.load(in);
        }
        return properties;
    }

    static String setting(String name, String otherwise) {
        String value = System.getProperty(name, System.getenv(name));
        return value == null || value.isEmpty() ? otherwise : value;
    }

    static void say(String format, Object... args) {
        System.out.println(String.format(format, args));
        System.out.flush();
    }
}

// Where the class above was refused (no Accumulo on the class path, or one before 2.1.4), the second line is reached.
/exit ShardmillLoad.main()
/exit 1
