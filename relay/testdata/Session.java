import java.nio.file.*;
import java.sql.*;
import java.util.*;
import java.util.zip.CRC32;

/** What a JDBC driver sees of a server. The arguments are its address and a directory for files. */
public class Session {
    static void line(Object... values) {
        var texts = new ArrayList<String>();
        for (Object v : values) texts.add(v instanceof byte[] b ? HexFormat.of().formatHex(b) : String.valueOf(v));
        System.out.println(String.join(" | ", texts));
    }

    static void rows(String what, ResultSet r) throws SQLException {
        var m = r.getMetaData();
        int n = m.getColumnCount();
        for (int i = 1; i <= n; i++)
            line(what, m.getColumnLabel(i), m.getColumnTypeName(i), m.getColumnType(i), m.getPrecision(i), m.getScale(i), m.isNullable(i), m.getTableName(i));
        while (r.next()) {
            var row = new Object[n + 1];
            row[0] = what;
            for (int i = 1; i <= n; i++) row[i] = r.getObject(i);
            line(row);
        }
        r.close();
    }

    static void results(String what, Statement s, boolean isRows) throws SQLException {
        for (int i = 0; ; i++, isRows = s.getMoreResults()) {
            if (isRows) rows(what + " " + i, s.getResultSet());
            else if (s.getUpdateCount() < 0) return;
            else line(what + " " + i, s.getUpdateCount());
        }
    }

    interface Step { void run() throws Exception; }

    static void fails(String what, Step step) throws Exception {
        try {
            step.run();
            line(what, "is done");
        } catch (SQLException e) {
            line(what, e.getErrorCode(), e.getSQLState(), e.getClass().getSimpleName());
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (Connection c = DriverManager.getConnection(arguments[0], "root", "")) {
            metadata(c);
            prepared(c);
            cursors(c);
            procedures(c);
            batches(c);
            transactions(c);
            large(c);
            file(c, Path.of(arguments[1]));
            ends(c, arguments[0]);
            line("done");
        }
    }

    static void metadata(Connection c) throws Exception {
        var s = c.createStatement();
        s.execute("DROP TABLE IF EXISTS things");
        s.execute("CREATE TABLE things (id INT AUTO_INCREMENT PRIMARY KEY, small TINYINT UNSIGNED, big BIGINT UNSIGNED, price DECIMAL(20,6), ratio DOUBLE, day DATE, moment DATETIME(6), span TIME(3), "
            + "name VARCHAR(40) CHARACTER SET utf8mb4 UNIQUE, kind ENUM('a','b'), parts SET('x','y'), note TEXT, bytes LONGBLOB, flag BIT(9)) ENGINE=InnoDB");
        var m = c.getMetaData();
        line("product", m.getDatabaseProductName(), m.getDatabaseProductVersion(), m.getDriverVersion(), m.getUserName());
        rows("columns", m.getColumns(c.getCatalog(), null, "things", "%"));
        rows("keys", m.getPrimaryKeys(c.getCatalog(), null, "things"));
        rows("indexes", m.getIndexInfo(c.getCatalog(), null, "things", true, true));
    }

    static void prepared(Connection c) throws Exception {
        var p = c.prepareStatement("INSERT INTO things (small, big, price, ratio, day, moment, span, name, kind, parts, note, bytes, flag) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", Statement.RETURN_GENERATED_KEYS);
        for (int i = 0; i < 50; i++) {
            p.setInt(1, i);
            p.setBigDecimal(2, new java.math.BigDecimal("18446744073709551615").subtract(java.math.BigDecimal.valueOf(i)));
            p.setBigDecimal(3, new java.math.BigDecimal("-12345678901234.123456").add(java.math.BigDecimal.valueOf(i)));
            p.setDouble(4, i / 3.0);
            p.setDate(5, java.sql.Date.valueOf("2024-02-" + (10 + i % 19)));
            p.setTimestamp(6, Timestamp.valueOf("2024-02-29 23:59:59.12345" + i % 10));
            p.setTime(7, Time.valueOf("12:34:" + (10 + i)));
            p.setString(8, i == 7 ? null : "naïve 名前 " + i);
            p.setString(9, i % 2 == 0 ? "a" : "b");
            p.setString(10, i % 3 == 0 ? "x,y" : "y");
            p.setString(11, "n".repeat(i * 100));
            p.setBytes(12, new byte[] {0, 1, (byte) i, (byte) 255, '\''});
            p.setInt(13, i * 7 % 512);
            line("inserted", p.executeUpdate());
            try (ResultSet k = p.getGeneratedKeys()) { while (k.next()) line("generated", k.getLong(1)); }
        }
        p.close();
        var q = c.prepareStatement("SELECT * FROM things WHERE id BETWEEN ? AND ? AND (name LIKE ? OR name IS NULL) ORDER BY id");
        for (int from : new int[] {1, 8, 45, 1000}) {
            q.setInt(1, from); q.setInt(2, from + 5); q.setString(3, "na%");
            rows("selected", q.executeQuery());
        }
        fails("a second name", () -> c.prepareStatement("INSERT INTO things (name) VALUES ('naïve 名前 1')").executeUpdate());
        fails("no such column", () -> c.prepareStatement("SELECT nothing FROM things WHERE id = ?").executeQuery());
        fails("no SQL", () -> c.createStatement().execute("SELEC 1"));
    }

    static void cursors(Connection c) throws Exception {
        var p = c.prepareStatement("SELECT a.id, b.id, REPEAT(a.name, 5) FROM things a JOIN things b WHERE a.id <= ? ORDER BY 1, 2", ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
        p.setFetchSize(33);
        p.setInt(1, 30);
        var sum = new CRC32();
        int n = 0;
        try (ResultSet r = p.executeQuery()) {
            for (; r.next(); n++) sum.update((r.getInt(1) + "," + r.getInt(2) + "," + r.getString(3)).getBytes("UTF-8"));
        }
        line("cursor", n, sum.getValue());
        try (ResultSet r = p.executeQuery()) { r.next(); line("left early", r.getInt(2)); }
        line("after it", first(c, "SELECT COUNT(*) FROM things"));
    }

    static String first(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(sql)) { return r.next() ? r.getString(1) : "none"; }
    }

    static void procedures(Connection c) throws Exception {
        var s = c.createStatement();
        s.execute("CREATE OR REPLACE PROCEDURE several(IN a INT, INOUT b INT, OUT d VARCHAR(20)) BEGIN SELECT a, b; UPDATE things SET ratio = ratio + 1 WHERE id <= a; SELECT id, name FROM things WHERE id <= a ORDER BY id; SET b = b * 2; SET d = CONCAT('d', a); END");
        var call = c.prepareCall("{CALL several(?, ?, ?)}");
        call.setInt(1, 3); call.setInt(2, 21);
        call.registerOutParameter(2, Types.INTEGER); call.registerOutParameter(3, Types.VARCHAR);
        results("called", call, call.execute());
        line("out", call.getInt(2), call.getString(3));
        results("several", s, s.execute("SELECT 1 AS a; UPDATE things SET small = 1 WHERE id < 4; SELECT name FROM things WHERE id = 2; DO 0"));
        fails("an error among several", () -> results("until", s, s.execute("SELECT 1; SELECT * FROM nothing; SELECT 2")));
        s.execute("SELECT CAST('12x' AS SIGNED)");
        for (SQLWarning w = s.getWarnings(); w != null; w = w.getNextWarning()) line("warning", w.getErrorCode(), w.getMessage());
    }

    static void batches(Connection c) throws Exception {
        var p = c.prepareStatement("UPDATE things SET note = ? WHERE id = ?");
        for (int i = 1; i <= 200; i++) { p.setString(1, "batch " + i); p.setInt(2, i); p.addBatch(); }
        line("batch", Arrays.toString(p.executeBatch()));
        line("noted", first(c, "SELECT MD5(GROUP_CONCAT(note ORDER BY id)) FROM things"));
    }

    static void transactions(Connection c) throws Exception {
        c.setAutoCommit(false);
        c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        c.createStatement().executeUpdate("DELETE FROM things WHERE id > 40");
        var save = c.setSavepoint("kept");
        c.createStatement().executeUpdate("DELETE FROM things");
        c.rollback(save);
        line("to the savepoint", first(c, "SELECT COUNT(*) FROM things"));
        c.rollback();
        line("rolled back", first(c, "SELECT COUNT(*) FROM things"));
        c.setAutoCommit(true);
        line("isolation", c.getTransactionIsolation(), c.getAutoCommit());
    }

    static void large(Connection c) throws Exception {
        var bytes = new byte[20 << 20];
        new Random(1).nextBytes(bytes);
        var p = c.prepareStatement("UPDATE things SET bytes = ? WHERE id = 1");
        p.setBytes(1, bytes);
        line("large", p.executeUpdate());
        try (ResultSet r = c.createStatement().executeQuery("SELECT bytes, CRC32(bytes), LENGTH(bytes) FROM things WHERE id = 1")) {
            r.next();
            line("large", Arrays.equals(bytes, r.getBytes(1)), r.getLong(2), r.getInt(3));
        }
    }

    static void file(Connection c, Path directory) throws Exception {
        var file = directory.resolve("rows.csv");
        var text = new StringBuilder();
        for (int i = 0; i < 20000; i++) text.append(1000 + i).append(",'file ").append(i).append("'\n");
        Files.writeString(file, text);
        line("loaded", c.createStatement().executeUpdate("LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE things FIELDS TERMINATED BY ',' ENCLOSED BY '\\'' (id, name)"));
        line("loaded", first(c, "SELECT CONCAT(COUNT(*), ' ', MIN(name), ' ', MAX(id)) FROM things WHERE id >= 1000"));
        fails("no such file", () -> c.createStatement().executeUpdate("LOAD DATA LOCAL INFILE '" + directory.resolve("nothing") + "' INTO TABLE things"));
        line("after it", first(c, "SELECT COUNT(*) FROM things"));
    }

    static void ends(Connection c, String address) throws Exception {
        var s = c.createStatement();
        s.setQueryTimeout(1);
        fails("a timeout", () -> s.executeQuery("SELECT COUNT(*) FROM things a JOIN things b JOIN things c JOIN things d WHERE RAND() + a.id < 0").next());
        var other = c.createStatement();
        var watching = DriverManager.getConnection(address, "root", "");
        var cancelling = new Thread(() -> {
            try {
                while (first(watching, "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%e.id < 0' AND id <> CONNECTION_ID()").equals("0")) Thread.onSpinWait();
                other.cancel();
            } catch (SQLException e) { line("cancel", e.getMessage()); }
        });
        cancelling.start();
        try { // a driver says one thing where the server's answer comes first, and another where that of KILL does
            other.executeQuery("SELECT COUNT(*) FROM things a JOIN things b JOIN things c JOIN things e WHERE RAND() + e.id < 0").next();
            line("not cancelled");
        } catch (SQLException e) {
            line("cancelled", e.getErrorCode() == 1317 || e.getErrorCode() == 0);
        }
        cancelling.join();
        watching.close();
        line("after it", first(c, "SELECT DATABASE()"), c.isValid(5));
    }
}
