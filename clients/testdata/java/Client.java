import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.io.PrintStream;
import java.sql.*;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.*;

/** A JDBC driver. The argument is the beginning of the address, such as jdbc:mysql, and then its options. */
public class Client {
    static final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    static final String[] COLUMNS = {"id", "small", "big", "huge", "price", "exact", "ratio", "flag", "day", "moment", "fine", "name", "note", "bytes"};
    static final String THINGS = "SELECT " + String.join(", ", COLUMNS) + " FROM things ORDER BY id";
    static final String ESTIMATE = "SELECT disease, COUNT(*) AS n, AVG(age) AS mean, ANON_INTERVAL_LOW(COUNT(*)) AS low, ANON_INTERVAL_HIGH(COUNT(*)) AS high "
        + "FROM published.people WHERE age >= 60 AND disease IN ('Asthma', 'Cancer', 'HIV') GROUP BY disease ORDER BY disease";
    static final String EXACT = "SELECT sex, COUNT(*) AS n, SUM(age) AS years FROM published.people GROUP BY sex ORDER BY sex";

    static void line(String key, Object... values) {
        var texts = new ArrayList<String>();
        for (Object v : values) texts.add(cell(v));
        out.print(key + ": " + String.join(" | ", texts) + "\n");
    }

    static String fraction(String text, int nanos) {
        return nanos == 0 ? text : (text + String.format(".%06d", nanos / 1000)).replaceAll("0+$", "");
    }

    static String cell(Object v) {
        if (v == null) return "NULL";
        if (v instanceof Boolean b) return b ? "1" : "0";
        if (v instanceof Double || v instanceof Float) return String.format(Locale.ROOT, "%.4f", ((Number) v).doubleValue());
        if (v instanceof BigDecimal d) return d.toPlainString();
        if (v instanceof Timestamp t) v = t.toLocalDateTime();
        if (v instanceof LocalDateTime t) return fraction(t.format(DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss")), t.getNano());
        if (v instanceof byte[] b) return "X'" + HexFormat.of().withUpperCase().formatHex(b) + "'";
        return v.toString();
    }

    static List<Object[]> rows(ResultSet r) throws SQLException {
        var list = new ArrayList<Object[]>();
        int n = r.getMetaData().getColumnCount();
        while (r.next()) {
            var row = new Object[n];
            for (int i = 0; i < n; i++) row[i] = r.getObject(i + 1);
            list.add(row);
        }
        r.close();
        return list;
    }

    static Object[] column(List<Object[]> rows, int i) {
        return rows.stream().map(row -> row[i]).toArray();
    }

    static void columns(String section, List<Object[]> rows) {
        for (int i = 0; i < COLUMNS.length; i++) line(section + " " + COLUMNS[i], column(rows, i));
    }

    static void figures(Statement s) throws SQLException {
        for (String query : List.of(ESTIMATE, EXACT))
            for (Object[] row : rows(s.executeQuery(query)))
                line((query == ESTIMATE ? "estimate " : "exact ") + row[0], Arrays.copyOfRange(row, 1, row.length));
    }

    static void prepared(Connection c) throws SQLException {
        Object[][] asked = {
            {"decimal", "price > ?", new BigDecimal("12.49")}, {"text", "name = ?", "Zoë 東京 😀"}, {"quoted", "note = ?", "it's \"quoted\" \\ and 100%"},
            {"bytes", "bytes = ?", new byte[] {0, (byte) 255, '\'', '"', '\\', '\n'}}, {"day", "day = ?", java.sql.Date.valueOf("2024-02-29")},
            {"moment", "moment < ?", Timestamp.valueOf("1970-01-01 00:00:00")}, {"double", "ratio = ?", 0.1}, {"big", "big = ?", Long.MAX_VALUE}, {"null", "day <=> ?", null},
        };
        for (Object[] a : asked)
            try (PreparedStatement p = c.prepareStatement("SELECT id FROM things WHERE " + a[1] + " ORDER BY id")) {
                p.setObject(1, a[2]);
                line("prepared " + a[0], column(rows(p.executeQuery()), 0));
            }
        try (PreparedStatement p = c.prepareStatement("SELECT COUNT(*) FROM published.people WHERE age >= ? AND disease = ?")) {
            p.setInt(1, 60);
            p.setString(2, "HIV");
            line("prepared estimate", rows(p.executeQuery()).get(0)[0]);
        }
    }

    static void types(Statement s) throws SQLException {
        for (String query : List.of(THINGS, ESTIMATE, EXACT)) {
            ResultSetMetaData m = s.executeQuery(query).getMetaData();
            var names = new Object[m.getColumnCount()];
            for (int i = 0; i < names.length; i++) names[i] = m.getColumnTypeName(i + 1).toLowerCase();
            line("types " + (query == THINGS ? "things" : query == ESTIMATE ? "estimate" : "exact"), names);
        }
        ResultSetMetaData m = s.executeQuery(THINGS).getMetaData();
        var sizes = new Object[COLUMNS.length];
        for (int i = 0; i < sizes.length; i++) sizes[i] = m.getColumnDisplaySize(i + 1);
        line("sizes things", sizes);
    }

    static void changes(Connection c, Statement s) throws SQLException {
        c.setAutoCommit(false);
        s.executeUpdate("INSERT INTO changes VALUES (1, 'undone')");
        c.rollback();
        line("changes rolled back", rows(s.executeQuery("SELECT COUNT(*) FROM changes")).get(0)[0]);
        try (PreparedStatement p = c.prepareStatement("INSERT INTO changes VALUES (?, ?)")) {
            String[] texts = {"one", "two", null};
            for (int i = 0; i < 3; i++) {
                p.setInt(1, i + 1);
                p.setString(2, texts[i]);
                p.addBatch();
            }
            p.executeBatch();
        }
        c.commit();
        line("changes committed", rows(s.executeQuery("SELECT COUNT(*) FROM changes")).get(0)[0]);
        line("changes affected", s.executeUpdate("UPDATE changes SET text = 'both' WHERE id < 3"));
        c.commit();
        s.executeUpdate("INSERT INTO things (name) VALUES ('fifth')", Statement.RETURN_GENERATED_KEYS);
        line("changes last id", rows(s.getGeneratedKeys()).get(0)[0]);
        c.rollback();
        c.setAutoCommit(true);
    }

    static void errors(Statement s) throws SQLException {
        String[][] refused = {
            {"table", "SELECT * FROM nowhere"}, {"syntax", "SELEC 1"}, {"duplicate", "INSERT INTO things (id, name) VALUES (1, 'again')"},
            {"raw", "SELECT COUNT(*) FROM census.people"}, {"estimate", "SELECT RAND(), COUNT(*) FROM published.people GROUP BY RAND()"},
        };
        for (String[] r : refused)
            try {
                s.execute(r[1]);
                line("error " + r[0], "none");
            } catch (SQLException e) {
                line("error " + r[0], e.getErrorCode());
                line("state " + r[0], e.getSQLState());
            }
    }

    static void metadata(Connection c) throws SQLException {
        DatabaseMetaData m = c.getMetaData();
        String database = System.getenv("CLIENT_DATABASE");
        var tables = new TreeMap<String, String>();
        try (ResultSet r = m.getTables(database, null, "%", new String[] {"TABLE", "VIEW"})) {
            while (r.next()) tables.put(r.getString("TABLE_NAME"), r.getString("TABLE_TYPE").toLowerCase());
        }
        tables.forEach((name, kind) -> line("table " + name, kind));
        described(m, database, "things");
        described(m, "published", "people");
        for (String table : List.of("parts", "things")) {
            var keys = new TreeMap<Integer, String>();
            try (ResultSet r = m.getPrimaryKeys(database, null, table)) {
                while (r.next()) keys.put(r.getInt("KEY_SEQ"), r.getString("COLUMN_NAME"));
            }
            line("key " + table, keys.values().toArray());
        }
        var row = new ArrayList<String>();
        try (ResultSet r = m.getBestRowIdentifier(database, null, "things", DatabaseMetaData.bestRowSession, true)) {
            while (r.next()) row.add(r.getString("COLUMN_NAME"));
        }
        line("rowid things", row.toArray());
        var indexes = new TreeMap<String, String>();
        try (ResultSet r = m.getIndexInfo(database, null, "things", false, true)) {
            while (r.next())
                indexes.merge(r.getString("INDEX_NAME"), (r.getBoolean("NON_UNIQUE") ? "" : "unique ") + r.getString("COLUMN_NAME"), (a, b) -> a + ", " + b);
        }
        indexes.forEach((name, of) -> line("index " + name, of));
        var routines = new TreeSet<String>();
        try (ResultSet r = m.getProcedures(database, null, "%")) {
            while (r.next()) routines.add(r.getString("PROCEDURE_NAME"));
        }
        line("procedures", routines.toArray());
        try (ResultSet r = m.getProcedureColumns(database, null, "double_it", "%")) {
            while (r.next())
                line("parameter " + r.getString("COLUMN_NAME"), r.getString("TYPE_NAME").toLowerCase(), r.getInt("COLUMN_TYPE") == DatabaseMetaData.procedureColumnOut ? "out" : "in");
        }
    }

    static void described(DatabaseMetaData m, String database, String table) throws SQLException {
        try (ResultSet r = m.getColumns(database, null, table, "%")) {
            while (r.next()) {
                String type = r.getString("TYPE_NAME").toLowerCase();
                if (type.equals("decimal")) type += "(" + r.getInt("COLUMN_SIZE") + "," + r.getInt("DECIMAL_DIGITS") + ")";
                if (type.equals("varchar")) type += "(" + r.getInt("COLUMN_SIZE") + ")";
                line("column " + table + "." + r.getString("COLUMN_NAME"), type, r.getInt("NULLABLE") == 0 ? "not null" : "null");
            }
        }
    }

    static void procedure(Connection c) throws SQLException {
        try (CallableStatement call = c.prepareCall("{CALL double_it(?, ?)}")) {
            call.setInt(1, 21);
            call.registerOutParameter(2, Types.INTEGER);
            call.execute();
            line("procedure", call.getInt(2));
        } catch (SQLException e) {
            line("procedure", e.getMessage().replaceAll("^\\(conn=\\d+\\) ", ""));
        }
        try (CallableStatement call = c.prepareCall("{CALL cheaper(?)}")) {
            call.setBigDecimal(1, new BigDecimal("12.00"));
            line("called", rows(call.executeQuery()).get(0));
        }
    }

    /** large reads a long result; size Integer.MIN_VALUE makes Connector/J stream it, 100 fetch by a cursor. */
    static void large(String name, Connection c, int size) throws SQLException {
        try (Statement s = c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
            s.setFetchSize(size);
            long rows = 0, total = 0, length = 0;
            try (ResultSet r = s.executeQuery("SELECT n, text FROM many ORDER BY n")) {
                while (r.next()) {
                    rows++;
                    total += r.getInt(1);
                    length += r.getString(2).length();
                }
            }
            line(name, rows, total, length);
        }
    }

    static Connection open(String scheme, String options) throws SQLException {
        return DriverManager.getConnection(scheme + "://" + System.getenv("CLIENT_HOST") + ":" + System.getenv("CLIENT_PORT") + "/" + System.getenv("CLIENT_DATABASE")
            + "?" + options, System.getenv("CLIENT_USER"), System.getenv("CLIENT_PASSWORD"));
    }

    public static void main(String[] arguments) throws SQLException {
        String options = arguments.length > 1 ? arguments[1] : "";
        int streaming = arguments[0].equals("jdbc:mysql") ? Integer.MIN_VALUE : 1;
        try (Connection c = open(arguments[0], options); Statement s = c.createStatement()) {
            columns("values", rows(s.executeQuery(THINGS)));
            prepared(c);
            types(s);
            figures(s);
            changes(c, s);
            errors(s);
            s.executeQuery(ESTIMATE);
            for (SQLWarning w = s.getWarnings(); w != null; w = w.getNextWarning()) line("warnings", "note", w.getErrorCode());
            metadata(c);
            procedure(c);
            large("large", c, streaming);
        }
        try (Connection c = open(arguments[0], options + "&useServerPrepStmts=true&useCursorFetch=true&rewriteBatchedStatements=true")) {
            try (PreparedStatement p = c.prepareStatement(THINGS)) {
                columns("binary", rows(p.executeQuery()));
            }
            large("cursor", c, 100);
        }
        out.flush();
    }
}
