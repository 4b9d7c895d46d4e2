package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// exportQuestions are an analyst's queries on both servers; %[1]s is the release.
var exportQuestions = []string{
	"SELECT * FROM published.%[1]s", "SELECT * FROM published.%[1]s_gid",
	"SELECT * FROM ANON_PRIVACY(%[1]s)", "SELECT * FROM ANON_UTILITY(%[1]s)",
	"SELECT name, version, method, `rows`, `groups`, parameters, qi, sa, published_at, forged FROM anonsql.releases WHERE name = '%[1]s'",
	"SELECT * FROM anonsql.guarantees WHERE `release` = '%[1]s'",
	"SHOW CREATE TABLE published.%[1]s", "SHOW FULL COLUMNS FROM published.%[1]s",
	"SELECT table_name, column_name, data_type, column_type, is_nullable FROM information_schema.columns WHERE table_schema = 'published' AND table_name LIKE '%[1]s%%' ORDER BY 1, ordinal_position",
	"SELECT COUNT(*), COUNT(age), COUNT(DISTINCT disease) FROM published.%[1]s",
	"SELECT COUNT(*), SUM(charge), AVG(age), ANON_STDERR(COUNT(*)), ANON_LOW(SUM(age)), ANON_HIGH(AVG(charge)) FROM published.%[1]s WHERE age > 30 AND disease = 'flu'",
	// Without calibration, both servers refuse this.
	"SELECT ANON_INTERVAL_LOW(COUNT(*)), ANON_INTERVAL_HIGH(SUM(age), 0.8) FROM published.%[1]s WHERE age > 30 AND disease = 'flu'",
	"SELECT disease, COUNT(*), SUM(charge), AVG(age), STDDEV(charge) FROM published.%[1]s WHERE born < '1985-01-01' GROUP BY disease ORDER BY disease",
	"SELECT sex, zip, COUNT(*), MIN(age), MAX(age) FROM published.%[1]s WHERE zip IS NULL OR zip <> '11100' GROUP BY sex, zip ORDER BY sex, zip",
	"SELECT COUNT(*) FROM published.%[1]s WHERE disease IS NULL OR zip LIKE '%%2%%'",
	"SELECT born, COUNT(*) AS n FROM published.%[1]s GROUP BY born HAVING n > 1 ORDER BY n DESC, born LIMIT 9",
	"EXPLAIN SELECT COUNT(*) FROM published.%[1]s WHERE age > 30 AND disease = 'flu'",
}

// An exporting pair of servers share a directory.
func exportPair(t *testing.T) (here, there *servertest.Server, dir string) {
	t.Helper()
	dir = t.TempDir()
	here = servertest.Start(t, server.Config{Extend: server.Product, ExportDir: dir})
	there = servertest.Start(t, server.Config{Extend: server.Product, ExportDir: dir})
	for _, s := range []*servertest.Server{here, there} {
		servertest.Exec(t, s.Open(t, servertest.Root), "CREATE USER bi@'%' IDENTIFIED BY 's'", "GRANT SELECT ON published.* TO bi", "GRANT SELECT ON anonsql.* TO bi")
	}
	return here, there, dir
}

func analystOf(t *testing.T, s *servertest.Server) *dbsql.Conn {
	return s.Connect(t, servertest.Account{User: "bi", Password: "s", Variables: servertest.ListsRelations})
}

// sameAnswers asks both servers, and compares the relations of the fragments.
func sameAnswers(t *testing.T, here, there *dbsql.Conn, release string, questions []string) {
	t.Helper()
	listed, _ := try(here, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'published' AND table_name LIKE '"+release+"\\_%' ORDER BY 1")
	for _, name := range strings.Fields(listed) {
		if strings.HasPrefix(name, release+"_") {
			questions = append(questions, "SELECT * FROM published."+name)
		}
	}
	for _, question := range questions {
		if strings.Contains(question, "%[1]s") {
			question = fmt.Sprintf(question, release)
		}
		want, number := try(here, question)
		if number != 0 && !strings.Contains(question, "ANON_INTERVAL") {
			t.Errorf("%s: %s", question, want)
		}
		if got, _ := try(there, question); got != want {
			t.Errorf("%s\nanswers there\n%.2000s\nhere\n%.2000s", question, got, want)
		}
	}
}

// Releases of every method, also of several sensitive attributes, are exported in both formats. Another server
// imports them and gives the same answers to the byte, before and after a restart.
func TestExportImport(t *testing.T) {
	t.Parallel()
	here, there, _ := exportPair(t)
	root := here.Open(t, servertest.Account{User: "root", MultiStatements: true})
	createPatients(t, root)
	servertest.Exec(t, root, "CALL set_attributes('hospital.patients', 'qi=age,sex,zip,born,charge', 'sa=disease', 'ei=id')")
	var releases []string
	publish := func(name, method string, options ...string) {
		calibrated := len(releases)%testsize.Levels(8, 4, 4) == 0 // calibration takes most of the time
		servertest.Exec(t, root, fmt.Sprintf("CALL anonymize('hospital.patients', '%s', '%s', 'publish=%s', 'allow_composition=true', 'calibrate=%t', 'attacks=%[4]t', 'misfit=%[4]t')",
			method, strings.Join(options, "', '"), name, calibrated))
		releases = append(releases, name)
	}
	for i, m := range methods.All() {
		if !testsize.All() && i%8 > 0 {
			continue
		}
		publish("r_"+m.Name, m.Name, methodCalls[m.Name].options...)
	}
	publish("r_counts", "anatomy", "l=2", "model=counts")
	publish("r_each", "anatomy", "l=2", "sa=disease,zip", "sa_mode=each")
	if testsize.Levels(false, true, true) {
		publish("r_combined", "anatomy", "l=2", "sa=disease,sex", "sa_mode=combined")
	}
	publish("r_randomized", "arp", "l=3", "over=randomization")
	publish("r_live", "drasl", "k=4", "updates=sealed")
	servertest.Exec(t, root, "DELETE FROM hospital.patients WHERE id < 9", "INSERT INTO hospital.patients VALUES (900, 77, 'F', '90000', '1931-01-01', 3.5, 'cold')", "CALL refresh_release('r_live')")
	second := there.Open(t, servertest.Root)
	bi, biThere := analystOf(t, here), analystOf(t, there)
	for i, release := range releases {
		format := []string{"csv", "parquet"}[i%2]
		servertest.Exec(t, root, fmt.Sprintf("CALL export_release('%s', 'format=csv', 'dir=csv/%[1]s'); CALL export_release('%[1]s', 'format=parquet', 'dir=parquet/%[1]s')", release))
		servertest.Exec(t, second, fmt.Sprintf("CALL import_release('%s/%s')", format, release))
		servertest.Exec(t, second, fmt.Sprintf("CALL import_release('%s/%s', 'replace=true')", []string{"parquet", "csv"}[i%2], release))
		sameAnswers(t, bi, biThere, release, exportQuestions)
	}
	there.Stop(t)
	there = servertest.Start(t, there.Config)
	biThere = analystOf(t, there)
	for i, release := range releases {
		if i%5 > 0 {
			continue
		}
		sameAnswers(t, bi, biThere, release, exportQuestions)
	}
}

// Values that file formats tend to change.
func TestExportAwkwardValues(t *testing.T) {
	t.Parallel()
	here, there, _ := exportPair(t)
	root := here.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE odd",
		"CREATE TABLE odd.t (id INT PRIMARY KEY, age INT, `a,\"b\" c` VARCHAR(40), d DECIMAL(20,4), f DOUBLE, at DATETIME(6), tm TIME, u BIGINT UNSIGNED, e ENUM('x','y z'), b VARBINARY(8), y YEAR, g FLOAT, disease VARCHAR(40))")
	texts := []string{"", " lead", "trail ", "a,b", `q"q`, "l\nf", "cr\r\nlf", "NULL", `\N`, "çé数", "(null)", "[1-2]", "{a}", "*"}
	for i := range 56 {
		text, disease := any(texts[i%14]), any(texts[(i*5+i/14)%14])
		if i%11 == 0 {
			text = nil
		}
		if _, err := root.Exec("INSERT INTO odd.t VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", i, 20+i%30, text, fmt.Sprintf("%d.%04d", i-20, i*7%10000), float64(i)/3,
			fmt.Sprintf("2020-01-02 03:04:%02d.%06d", i, i*1001), fmt.Sprintf("%02d:%02d:01", i%24, i), uint64(1<<63)+uint64(i%3)-1, []string{"x", "y z"}[i%2],
			[]byte{0xff, byte(i)}, 1980+i%20, float32(i)/7, disease); err != nil {
			t.Fatal(err)
		}
	}
	qi := "qi=age,`a,\"b\" c`,d,f,at,tm,u,e,b,y,g"
	questions := []string{"SELECT * FROM published.%[1]s", "SELECT * FROM ANON_PRIVACY(%[1]s)", "SELECT * FROM ANON_UTILITY(%[1]s)",
		"SELECT disease, COUNT(*), SUM(d), AVG(f), MIN(at), MAX(u), SUM(g) FROM published.%[1]s WHERE tm > '03:00:00' GROUP BY disease ORDER BY disease",
		"SELECT COUNT(*) FROM published.%[1]s WHERE disease = ''", "SELECT b, e, COUNT(*) FROM published.%[1]s GROUP BY b, e ORDER BY b, e", "SHOW CREATE TABLE published.%[1]s"}
	second := there.Open(t, servertest.Root)
	// No list can name a column with a comma, so this one has the default role.
	for _, statement := range []string{"ALTER TABLE odd.t RENAME COLUMN `a,\"b\" c` TO `a \"b\" c`"} {
		servertest.Exec(t, root, statement)
		qi = strings.ReplaceAll(qi, "a,\"b\" c", "a \"b\" c")
	}
	for i, call := range []string{"'anatomy', 'l=3'", "'mondrian', 'k=4'", "'cross_bucket', 'k=3', 'l=3'", "'arp', 'l=3', 'over=generalization'", "'slicing', 'l=3'"} {
		name := fmt.Sprintf("odd%d", i)
		if _, err := root.Exec(fmt.Sprintf("CALL anonymize('odd.t', %s, '%s', 'sa=disease', 'publish=%s', 'allow_composition=true')", call, qi, name)); err != nil {
			t.Fatalf("%s: %v", call, err)
		}
		for _, format := range []string{"csv", "parquet"} {
			servertest.Exec(t, root, fmt.Sprintf("CALL export_release('%s', 'format=%s', 'overwrite=true')", name, format))
			servertest.Exec(t, second, fmt.Sprintf("CALL import_release('%s', 'replace=true')", name))
			sameAnswers(t, analystOf(t, here), analystOf(t, there), name, questions)
		}
	}
}

// A refusal is a statement with the number and a part of its error.
type refusal struct {
	number          int
	says, statement string
}

// areRefused runs statements without privileges or with missing objects; no error names the directory.
func areRefused(t *testing.T, conn interface {
	ExecContext(context.Context, string, ...any) (dbsql.Result, error)
}, dir string, list ...refusal) {
	t.Helper()
	for _, r := range list {
		if _, err := conn.ExecContext(context.Background(), r.statement); servertest.Number(err) != r.number || !strings.Contains(err.Error(), r.says) || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want %d: %s", r.statement, err, r.number, r.says)
		}
	}
}

// fileAccount may write and read files, and import.
var fileAccount = servertest.Account{User: "files", Password: "s"}

// Who may export and import, which refusals name their reason, and what happens to an imported release.
func TestExportRefusals(t *testing.T) {
	t.Parallel()
	here, there, dir := exportPair(t)
	exportsAreRefused(t, here, dir)
	if err := os.Symlink("/etc", filepath.Join(dir, "etc")); err != nil {
		t.Fatal(err)
	}
	importsAreRefused(t, there, dir)

	none := servertest.Start(t, server.Config{Extend: server.Product, DataDir: t.TempDir()}).Open(t, servertest.Root)
	areRefused(t, none, dir, refusal{1290, "--export-dir", "CALL import_release('p')"})
}

// exportsAreRefused also exports p.
func exportsAreRefused(t *testing.T, here *servertest.Server, dir string) {
	t.Helper()
	root := here.Open(t, servertest.Root)
	createPatients(t, root)
	servertest.Exec(t, root, "CALL anonymize('hospital.patients', 'anatomy', 'l=3', 'qi=age,sex,born,charge', 'sa=disease', 'publish=p')",
		"CALL anonymize('hospital.patients', 'anatomy', 'l=3', 'qi=age,sex', 'sa=disease', 'publish=mine', 'private=true')",
		"CREATE USER files@'%' IDENTIFIED BY 's'", "GRANT FILE ON *.* TO files", "GRANT EXECUTE ON *.* TO files", "GRANT SELECT ON published.* TO files", "GRANT EXECUTE ON *.* TO bi")
	areRefused(t, analystOf(t, here), dir,
		refusal{1142, "privilege FILE", "CALL export_release('p')"},
		refusal{1227, "FILE", "CALL import_release('p')"})
	areRefused(t, root, dir, refusal{30001, "not public", "CALL export_release('mine')"})
	files := here.Open(t, fileAccount)
	areRefused(t, files, dir, refusal{30001, "no release", "CALL export_release('mine')"})
	for _, bad := range []string{"../p", "/tmp/p", "a/../../p", "", ".p", "a//b"} {
		areRefused(t, files, dir, refusal{1210, "dir is", "CALL export_release('p', 'dir=" + bad + "')"})
	}
	areRefused(t, files, dir,
		refusal{1210, "format", "CALL export_release('p', 'format=xlsx')"},
		refusal{1210, "unknown", "CALL export_release('p', 'to=x')"})
	servertest.Exec(t, files, "CALL export_release('p')")
	areRefused(t, files, dir, refusal{30001, "overwrite=true", "CALL export_release('p')"})
	servertest.Exec(t, files, "CALL export_release('p', 'overwrite=true', 'format=parquet')")
}

// importsAreRefused needs the export of p, and a link "etc" out of the directory.
func importsAreRefused(t *testing.T, there *servertest.Server, dir string) {
	t.Helper()
	second := there.Open(t, servertest.Account{User: "root", MultiStatements: true})
	servertest.Exec(t, second, "CREATE USER files@'%' IDENTIFIED BY 's'; GRANT EXECUTE, FILE ON *.* TO files; GRANT EXECUTE ON *.* TO bi; GRANT SELECT ON published.* TO files")
	areRefused(t, second, dir,
		refusal{30001, "no folder", "CALL import_release('etc')"},
		refusal{30001, "no folder", "CALL import_release('nowhere')"},
		refusal{1210, "dir is", "CALL import_release('../p')"},
		refusal{30001, "no ZIP", "CALL import_release('data:application/zip;base64,AAAA')"},
		refusal{1210, "publish is", "CALL import_release('p', 'publish=a b')"})

	servertest.Exec(t, second, "CALL import_release('p')")
	areRefused(t, second, dir, refusal{30001, "replace=true", "CALL import_release('p')"})
	servertest.Exec(t, second, "CALL import_release('p', 'publish=q')")
	areRefused(t, second, dir,
		refusal{30001, "was imported", "CALL refresh_release('p')"},
		refusal{30001, "was imported", "CALL evaluate('p')"},
		refusal{30001, "was imported", "SELECT ANON_ACTUAL(COUNT(*)) FROM published.p"})
	areRefused(t, analystOf(t, there), dir,
		refusal{30001, "was imported", "SELECT ANON_RELATIVE_ERROR(COUNT(*)) FROM published.p"},
		refusal{1142, "DROP", "CALL drop_release('p')"})
	createPatients(t, second)
	areRefused(t, second, dir, refusal{30001, "belongs to the release of another table", "CALL anonymize('hospital.patients', 'anatomy', 'l=3', 'qi=age,sex', 'sa=disease', 'publish=p', 'replace=true')"})
	servertest.Exec(t, second, "CALL anonymize('hospital.patients', 'anatomy', 'l=3', 'qi=age,sex', 'sa=disease', 'publish=own')")
	areRefused(t, second, dir,
		refusal{30001, "release of a table", "CALL import_release('p', 'publish=own', 'replace=true')"},
		refusal{30001, "taken", "CALL import_release('p', 'publish=own_sa')"})
	if status := listed(t, second, "SELECT name, status, source FROM anonsql.releases ORDER BY name"); status != "own public hospital.patients\np public, imported \nq public, imported \n" {
		t.Errorf("anonsql.releases has\n%s", status)
	}
	// An imported release can be exported again.
	servertest.Exec(t, there.Open(t, fileAccount), "CALL export_release('q', 'dir=again')", "CALL drop_release('q')", "CALL import_release('again')")
}

// A modified package is refused; the error names the modification.
func TestImportRefusesChangedFiles(t *testing.T) {
	t.Parallel()
	here, there, dir := exportPair(t)
	root, second := here.Open(t, servertest.Root), there.Open(t, servertest.Root)
	createPatients(t, root)
	servertest.Exec(t, root, "CALL anonymize('hospital.patients', 'anatomy', 'l=3', 'qi=age,sex,born,charge', 'sa=disease', 'publish=p')", "CALL export_release('p')")
	file := filepath.Join(dir, "p", "p_sa.csv")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	change := func(text []byte, part string) {
		t.Helper()
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := second.Exec("CALL import_release('p')"); servertest.Number(err) != 30001 || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %s", err, part)
		}
	}
	changed := []byte(string(whole))
	changed[len(changed)-2] ^= 1
	change(changed, "p_sa.csv was changed: its hash")
	change(whole[:len(whole)-1], "p_sa.csv was changed")
	change(append(append([]byte{}, whole...), '\n'), "p_sa.csv was changed")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Exec("CALL import_release('p')"); err == nil || !strings.Contains(err.Error(), "p_sa.csv is missing") {
		t.Errorf("without a fragment: %v", err)
	}
	if got := listed(t, second, "SELECT COUNT(*) FROM anonsql.releases"); got != "0\n" {
		t.Errorf("%s releases were imported", got)
	}
}

// Conditions on an imported release use the collations of its columns, which the package names. PAD SPACE ignores trailing spaces. A third of the 60
// rows is Basel, in two spellings: 'a ' equals 'a', 'A' does not. mondrian generalizes towns, so its counts are estimates.
func TestExportedCollations(t *testing.T) {
	t.Parallel()
	here, there, _ := exportPair(t)
	root, second := here.Open(t, servertest.Account{User: "root", MultiStatements: true}), there.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE hospital", "CREATE TABLE hospital.stays (id INT PRIMARY KEY, age INT, town VARCHAR(20) COLLATE utf8mb4_general_ci, "+
		"ward VARCHAR(20) COLLATE utf8mb4_bin, disease VARCHAR(20) COLLATE utf8mb4_general_ci)")
	for i := range 60 {
		servertest.Exec(t, root, fmt.Sprintf("INSERT INTO hospital.stays VALUES (%d, %d, '%s', '%s', 'd%d ')", i, 20+i%10,
			[]string{"Basel ", "basel", "Bern", "Bern  ", "Zug", "zug "}[i%6], []string{"a", "A", "a "}[i%3], i%7))
	}
	servertest.Exec(t, root, "CALL set_attributes('hospital.stays', 'qi=age,town,ward', 'sa=disease', 'ei=id')")
	for method, c := range map[string]struct {
		bound, format string
		off           float64
	}{"anatomy": {"l=3", "csv", 0}, "mondrian": {"k=6", "parquet", 2}} {
		servertest.Exec(t, root, fmt.Sprintf(`CALL anonymize('hospital.stays', '%s', '%s', 'publish=%[1]s', 'calibrate=false', 'attacks=false', 'allow_composition=true', 'fit=false');
			CALL export_release('%[1]s', 'format=%[3]s')`, method, c.bound, c.format))
		servertest.Exec(t, second, "CALL import_release('"+method+"')")
		for condition, want := range map[string]float64{
			"town = 'BASEL  '": 20, "town = 'basel'": 20, "CONCAT(town, ' ') IN ('bern', 'x')": 20, "town IN (SELECT 'zug  ')": 20, "town BETWEEN 'bern  ' AND 'ZUG '": 40,
			"ward = 'a  '": 40, "ward = 'A'": 20, "ward = 'a'": 40, "disease = 'D3'": 9,
		} {
			for name, db := range map[string]*dbsql.DB{"here": root, "there": second} {
				var got float64
				if err := db.QueryRow("SELECT COUNT(*) FROM published." + method + " WHERE " + condition).Scan(&got); err != nil || math.Abs(got-want) > c.off {
					t.Errorf("%s, %s, %s: %v, %v, want %v", method, name, condition, got, err, want)
				}
			}
		}
	}
}
