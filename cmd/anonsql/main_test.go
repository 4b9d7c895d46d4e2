package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/cmd/program"
	"github.com/anonsql/anonsql/cmd/version"
	"github.com/spf13/pflag"
)

// play runs the command line and returns its output and exit code.
func play(t *testing.T, arguments ...string) (out, errs string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var o, e bytes.Buffer
	code = program.Run(ctx, newRoot(), arguments, &o, &e)
	return o.String(), e.String(), code
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// patients is a table of rows people with correlated attributes.
func patients(rows int) string {
	random := rand.New(rand.NewPCG(1, 2))
	diseases := []string{"flu", "cold", "asthma", "gout", "mumps", "none", "migraine"}
	var b strings.Builder
	b.WriteString("id,age,sex,city,disease\n")
	for i := range rows {
		age := 20 + random.IntN(40)
		fmt.Fprintf(&b, "%d,%d,%s,%s,%s\n", i, age, []string{"F", "M"}[random.IntN(2)],
			string(rune('A'+random.IntN(6))), diseases[(age/10+random.IntN(6))%len(diseases)])
	}
	return b.String()
}

func TestVersion(t *testing.T) {
	for _, arguments := range [][]string{{"version"}, {"--version"}} {
		out, _, code := play(t, arguments...)
		if want := "anonsql " + version.Number + " ("; code != 0 || !strings.HasPrefix(out, want) {
			t.Errorf("%v: got %q, exit %d, want %q...", arguments, out, code, want)
		}
	}
}

func TestHelpNamesEveryCommandAndFlag(t *testing.T) {
	for arguments, wants := range map[string][]string{
		"--help":                {"serve", "demo", "import", "taxonomy", "version", "ordinary SQL"},
		"serve --help":          {"--data-dir", "--listen", "127.0.0.1:3306", "--tls-cert", "--tls-key", "--require-tls", "--allow-plaintext", "--max-connections", "--max-address-connections", "--max-user-connections", "--connect-timeout", "--shutdown-grace", "--console"},
		"demo --help":           {"--csv", "--sa", "--qi", "--exit", "--data-dir", "--listen", "--console"},
		"import-release --help": {"--name", "--server", "--data-dir", "--replace", "max_allowed_packet", "FILE"},
		"taxonomy --help":       {"--table", "--column", "--server", "--delimiter", "level by level"},
		"import --help":         {"--table", "--server", "--data-dir", "--null", "--delimiter", "--no-header", "--append", "--replace", "All rows arrive or none"},
	} {
		out, errs, code := play(t, strings.Fields(arguments)...)
		for _, want := range wants {
			if code != 0 || errs != "" || !strings.Contains(out, want) {
				t.Errorf("%s: exit %d, %q is missing:\n%s%s", arguments, code, want, out, errs)
			}
		}
	}
}

// TestMisuse: the error, the right usage, and where to read more.
func TestMisuse(t *testing.T) {
	file := write(t, "p.csv", "a,b\n1,x\n")
	for _, c := range []struct{ arguments, want string }{
		{"nothing", `unknown command "nothing"` + "*'anonsql --help' shows"},
		{"serve --nothing", "unknown flag: --nothing*'anonsql serve --help' shows"},
		{"serve extra", `serve takes flags only, not "extra"`},
		{"serve --max-connections many", `--max-connections is "many", must be a whole number` + "\n*'anonsql serve --help' shows"},
		{"serve --statement-timeout 30", `--statement-timeout is "30", must be a time such as 30s or 5m` + "\n"},
		{"import --table a.b --data-dir d", "0 files are given, must be one"},
		{"import x.csv y.csv --table a.b --data-dir d", "2 files are given, must be one"},
		{"import " + file + " --data-dir d", "--table is missing: database.table"},
		{"import " + file + " --table ab --data-dir d", `--table is "ab", must be database.table`},
		{"import " + file + " --table a.b.c --data-dir d", `--table is "a.b.c", must be database.table`},
		{"import " + file + " --table .b --data-dir d", `--table is ".b", must be database.table`},
		{"import " + file + " --table a.b", "say where to, one of: --server host:port*--data-dir"},
		{"import " + file + " --table a.b --data-dir d --server s", "say where to, one of"},
		{"import " + file + " --table a.b --data-dir d --append --replace", "--append and --replace are given, must be one"},
		{"import nothing.csv --table a.b --data-dir " + filepath.Join(t.TempDir(), "d"), "nothing.csv: no such file"},
		{"import " + file + " --table published.b --data-dir " + filepath.Join(t.TempDir(), "d"), `database name "published" is kept for the server`},
		{"import " + file + " --table a.b --server 127.0.0.1:1", "connect to 127.0.0.1:1: *refused"},
		{"taxonomy " + file, "--table is missing: database.table"},
		{"taxonomy " + file + " --table a.b --server s", "--column is missing"},
		{"taxonomy " + file + " --table a.b --column c", "--server is missing: host:port"},
		{"taxonomy --table a.b --column c --server s", "0 files are given, must be one"},
		{"taxonomy " + file + " --table a.b --column c --server s --delimiter ab", `--delimiter is "ab", must be one character`},
		{"taxonomy nothing.csv --table a.b --column c --server s", "nothing.csv: no such file"},
		{"taxonomy " + file + " --table a.b --column c --server 127.0.0.1:1", "connect to 127.0.0.1:1: *refused"},
		{"demo --sa disease", "--sa and --qi are about the columns of --csv"},
		{"demo --csv nothing.csv --exit", "nothing.csv: no such file"},
	} {
		out, errs, code := play(t, strings.Fields(c.arguments)...)
		pattern := strings.ReplaceAll(regexp.QuoteMeta(c.want), `\*`, "(?s:.*)")
		if code != program.ExitFailed || out != "" || !regexp.MustCompile(pattern).MatchString(errs) {
			t.Errorf("%s: exit %d, got\n%s%s want %s", c.arguments, code, out, errs, c.want)
		}
	}
}

func TestServeSaysWhatItCannotUse(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "data")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := write(t, "file", "x")
	for _, c := range []struct{ flags, want string }{
		{"--listen here", `the address "here" is not host:port`},
		{"--listen " + taken.Addr().String(), "take another address with --listen"},
		{"--tls-cert c.pem", "a TLS certificate needs its key"},
		{"--tls-cert c.pem --tls-key k.pem", "cannot use the TLS certificate c.pem"},
		{"--require-tls", "TLS is required of clients, but there is no certificate"},
		{"--max-connections -1", "the number of connections is -1, must be at least 1"},
		{"--max-address-connections -1", "the number of connections of an address is -1"},
		{"--max-user-connections 100001", "the number of connections of an account is 100001"},
		{"--connect-timeout 1500ms", "the time for logging in is 1.5s, must be whole seconds, at least 2s"},
		{"--tls-self-signed --require-tls --allow-plaintext", "not both"},
		{"--listen 0.0.0.0:0", "the server does not listen on 0.0.0.0:0"},
		{"--data-dir " + file, "cannot create the data directory"},
	} {
		arguments := append([]string{"serve", "--data-dir", directory}, strings.Fields(c.flags)...)
		if !strings.Contains(c.flags, "--listen") {
			arguments = append(arguments, "--listen", "127.0.0.1:0")
		}
		if _, errs, code := play(t, arguments...); code != program.ExitFailed || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d, got %s want %s", c.flags, code, errs, c.want)
		}
	}
}

// TestImportRoundTrip loads into a directory, adds, refuses, replaces.
func TestImportRoundTrip(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "data")
	first := write(t, "people.csv", "\xef\xbb\xbfid,name,home-town,height,born\r\n"+
		"1,\"O'Neil, \"\"Ann\"\"\",Ulm,1.75,2001-02-03\r\n2,Zoë,?,1.8,1999-12-31\r\n")
	into := func(file string, more ...string) (string, string, int) {
		return play(t, append([]string{"import", file, "--table", "census.people", "--data-dir", directory, "--null", "?"}, more...)...)
	}
	out, errs, code := into(first)
	for _, want := range []string{`column "home-town" is called home_town`, "INT", "VARCHAR(16)", "DECIMAL(3,2)", "DATE", "2 rows into census.people"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("import: exit %d, %q is missing:\n%s%s", code, want, out, errs)
		}
	}
	if _, errs, code := into(first); code != program.ExitFailed || !strings.Contains(errs, "exists already: append to it with --append, or replace it with --replace") {
		t.Errorf("second import: exit %d, %s", code, errs)
	}
	if out, errs, code := into(first, "--append"); code != 0 || !strings.Contains(out, "2 rows into") {
		t.Errorf("append: exit %d, %s%s", code, out, errs)
	}
	ragged := write(t, "ragged.csv", "id,name\n1,a\n2\n")
	if _, errs, code := into(ragged, "--replace"); code != program.ExitFailed || !strings.Contains(errs, "row 2 (line 3): expected 2 fields, found 1") {
		t.Errorf("ragged: exit %d, %s", code, errs)
	}
	if out, errs, code := into(write(t, "b.tsv", "id\tname\n7\tx\n"), "--replace"); code != 0 || !strings.Contains(out, "1 rows into") {
		t.Errorf("replace: exit %d, %s%s", code, out, errs)
	}
}

// TestImportNotes: possibly unintended results are noted with a remedy.
func TestImportNotes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty.csv", "age,b\n1,x\n,y\n,z\n3,\n", "note: empty fields are NULL in age: --keep-empty keeps them as texts\n"},
		{"nan.csv", "x,b\n1.5,x\nNaN,y\n,z\n2,\n", "note: column x is VARCHAR(16) because 1 of its fields are empty and 1 are \"NaN\": with --null 'NaN' they are NULL and it is DECIMAL(2,1)\n"},
		{"comma.csv", "x,b\n\"1234,50\",x\n\"-3,5\",y\n7,z\n", "note: numbers are read with a decimal comma in x\n"},
		{"thousands.csv", "x,b\n\"1,234\",x\n12,y\n", "note: column x is VARCHAR(16) because the commas of its numbers"},
		{"dots.csv", "x,b\n31.12.2017,x\n1.2.2017,y\n", "note: dates are read as day, month, year in x\n"},
		{"dmy.csv", "x,b\n31/12/2017,x\n01/02/2017,y\n", "note: dates are read as day, month, year in x\n"},
		{"mdy.csv", "x,b\n12/31/2017,x\n01/02/2017,y\n", "note: dates are read as month, day, year in x\n"},
		{"either.csv", "x,b\n12/11/2017,x\n01/02/2017,y\n", "note: column x is VARCHAR(16) because its dates do not tell which number is the day: with --dates dmy"},
		{"both.csv", "x,b\n12/31/2017,x\n31/12/2017,y\n", "note: column x is VARCHAR(16) because some of its dates begin with the day and others with the month"},
		{"hash.csv", "a#b\n1#2\n", "was not split: say --delimiter '#'"},
		{"short.csv", "x,b\n01.01.55,x\n31.12.99,y\n", "note: column x is VARCHAR(16) because the years of its dates have two digits"},
		{"times.csv", "x,b\n31.12.2017 14:05,x\n1.2.2017,y\n", "note: dates are read as day, month, year in x\n"},
		{"years.csv", "x,b\n2017/12/31,x\n2017/1/2,y\n", "note: dates are read as year, month, day in x\n"},
		{"zones.csv", "x,b\n2017-12-31T14:05:00Z,x\n2017-12-31T14:05:00+01:00,y\n", "note: column x is VARCHAR(32) because its times have a zone"},
		{"points.csv", "x,b\n\"1,234.50\",x\n7,y\n", "note: numbers are read with a decimal point, and what stands between groups of digits is left out, in x\n"},
		{"groups.csv", "x,b\n12.345.678,x\n7,y\n", "note: column x is VARCHAR(16) because its digits stand in groups"},
		{"blanks.csv", "x,b\n\"hiv \",1\nhiv,2\n", "note: texts begin or end with blanks in x: those that differ in blanks alone are two values"},
		{"colon.csv", "a|b:c\n1:x\n", `note: the table has one column, since the header "a|b:c" was not split: say --delimiter '|' if that separates the fields`},
		{"semicolon.csv", "a;b\n1;x\n", `note: fields are separated by ';' (--delimiter says otherwise)`},
		{"tab.csv", "a\tb\n1\tx\n", "note: fields are separated by '\\t'"},
		{"mac.csv", "a,b\r1,x\r", "note: lines end with a carriage return alone"},
	} {
		out, errs, code := play(t, "import", write(t, c.name, c.text), "--table", "n.n", "--data-dir", filepath.Join(t.TempDir(), "d"))
		if code != 0 || !strings.Contains(out, c.want) || strings.Count(out, "note:") != 1 {
			t.Errorf("%s: exit %d, got %s%s want %s", c.name, code, out, errs, c.want)
		}
	}
	for _, delimiter := range []string{`\t`, "tab"} {
		out, errs, code := play(t, "import", write(t, "t.csv", "a\tb\n1\tx\n"), "--table", "n.n", "--data-dir", filepath.Join(t.TempDir(), "d"), "--delimiter", delimiter)
		if code != 0 || strings.Contains(out, "note:") || !strings.Contains(out, "INT") {
			t.Errorf("--delimiter %s: exit %d, %s%s", delimiter, code, out, errs)
		}
	}
}

// TestImportFlags: a refusal names the flag that helps, and the flag helps.
func TestImportFlags(t *testing.T) {
	for _, c := range []struct{ name, text, refused, flags, want string }{
		{"pandas.csv", ",age\n0,39\n", "column 1 has no usable name: \"\". Say --name-empty", "--name-empty", "column_1 "},
		{"pandas.csv", ",age\n0,39\n", "or --names", "--names=id,years", "years "},
		{"comma.csv", "x,y\n1,2\n", "", "--names=\"income,net\",age", `column "income,net" is called income_net`},
		{"empty.csv", "x,y\n1,2\n", "", "--names=a,", "column 2 has no usable name"},
		{"names.csv", "x\n1\n", "", "--names=a,b", "2 column names given, and the text has 1 column"},
		{"data.csv", "39,a\n50,b\n", "say --no-header if it is data, or --header", "--no-header", "2 rows into"},
		{"data.csv", "39,a\n50,b\n", "say --no-header", "--no-header --names=age,k", "k "},
		{"named.csv", "39,a\n50,b\n", "", "--names=age,k", "say --no-header if it is data, or --header"},
		{"named.csv", "39,a\n50,b\n", "", "--header --names=age,k", "1 rows into"},
		{"years.csv", "2001,2002\n1,2\n", "say --no-header", "--header", "1 rows into"},
		{"latin.csv", "a\nJos\xe9\n", "not valid UTF-8: byte 0xE9 at position 4. If the text is of a Windows program, say --charset latin1", "--charset=latin1", "1 rows into"},
	} {
		into := func(flags ...string) (string, string, int) {
			return play(t, append([]string{"import", write(t, c.name, c.text), "--table", "n.n", "--data-dir", filepath.Join(t.TempDir(), "d")}, flags...)...)
		}
		if out, errs, code := into(); c.refused != "" && (code == 0 || !strings.Contains(errs, c.refused)) {
			t.Errorf("%s: exit %d, got %s%s want %s", c.name, code, out, errs, c.refused)
		}
		if out, errs, _ := into(strings.Fields(c.flags)...); !strings.Contains(out+errs, c.want) {
			t.Errorf("%s %s: got %s%s want %s", c.name, c.flags, out, errs, c.want)
		}
	}
}

// TestListsTakeEverything: a text that means NULL may be empty or have commas.
func TestListsTakeEverything(t *testing.T) {
	for _, flags := range [][]string{{"--null", ""}, {"--null="}, {"--null", "?", "--null", ""}, {"--null", "n/a, unknown", "--null", ""}} {
		file := write(t, "f.csv", "name,age\n\"n/a, unknown\",22\nb,\n?,30.5\n")
		out, errs, code := play(t, append([]string{"import", file, "--table", "n.n", "--data-dir", filepath.Join(t.TempDir(), "d")}, flags...)...)
		if code != 0 || strings.Contains(out, "note:") || !strings.Contains(out, "DECIMAL(3,1)") {
			t.Errorf("%q: exit %d, %s%s", flags, code, out, errs)
		}
	}
}

var estimateLine = regexp.MustCompile(`(?m)^  (?:\S+  +)?([0-9.]+)  +(?:exact|[0-9.]+ to [0-9.]+)  +([0-9.]+)  +([0-9.]+ %|NULL)  +(?:yes|NO)$`)

// TestDemo plays the whole session on a file of the user's.
func TestDemo(t *testing.T) {
	file := write(t, "patients.csv", patients(400))
	directory := filepath.Join(t.TempDir(), "data")
	for run := range 2 { // the second run finds the first one's remains
		out, errs, code := play(t, "demo", "--csv", file, "--exit", "--listen", "127.0.0.1:0", "--data-dir", directory)
		if code != 0 {
			t.Fatalf("run %d: exit %d\n%s%s", run, code, out, errs)
		}
		for _, want := range []string{"400 rows in demo.people", "'sa=disease'", "'ei=id'", "GRANT SELECT ON published.*"} {
			if !strings.Contains(out, want) {
				t.Errorf("run %d: %q is missing:\n%s", run, want, out)
			}
		}
		if strings.Contains(out, "Your turn") {
			t.Errorf("run %d: --exit says how to connect to a server that has ended", run)
		}
		if asked := strings.Count(out, "\nanalyst> "); asked < 12 {
			t.Errorf("run %d: %d questions, want at least a dozen:\n%s", run, asked, out)
		}
		checkEstimates(t, out)
	}
}

// checkEstimates recomputes every relative error that was printed, to the
// rounding of the printed figures.
func checkEstimates(t *testing.T, out string) {
	t.Helper()
	_, questions, _ := strings.Cut(out, "The analyst asks")
	lines := estimateLine.FindAllStringSubmatch(questions, -1)
	if len(lines) < 12 {
		t.Errorf("%d estimates, want at least a dozen:\n%s", len(lines), questions)
	}
	for _, l := range lines {
		estimate, _ := strconv.ParseFloat(l[1], 64)
		actual, _ := strconv.ParseFloat(l[2], 64)
		relative, err := strconv.ParseFloat(strings.TrimSuffix(l[3], " %"), 64)
		relative /= 100
		if (err != nil) != (actual == 0) {
			t.Errorf("%s: the relative error is NULL where the actual value is 0, and there only", l[0])
			continue
		}
		if want := max(estimate-actual, actual-estimate); err == nil && max(want-relative*actual, relative*actual-want) > 0.01+want*1e-3+0.0005*actual {
			t.Errorf("%s: estimate and actual value differ by %g", l[0], want)
		}
	}
}

// TestDemoAdapts: where half of the people share a sensitive value no group can have
// it less often; the bound is the next twentieth above.
func TestDemoAdapts(t *testing.T) {
	var b strings.Builder
	b.WriteString("sex,disease\n")
	for i := range 200 {
		fmt.Fprintf(&b, "%s,%c\n", []string{"F", "F", "F", "M"}[i%4], 'a'+rune(max(0, i%14-7)))
	}
	out, errs, code := play(t, "demo", "--csv", write(t, "skewed.csv", b.String()), "--exit", "--listen", "127.0.0.1:0")
	if code != 0 || !strings.Contains(out, "'beta=0.65'") || strings.Count(out, "CALL anonymize(") != 1 || strings.Contains(out, "ERROR") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

func TestDemoSaysWhyAFileDoesNotFit(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"one value":   {"age,sex\n" + strings.Repeat("30,F\n30,F\n", 10), "age has one value only; sex has one value only"},
		"identifiers": {"id,mail\n1,a\n2,b\n3,c\n", "id looks like an identifier (named \"id\", with 3 values in 3 rows)"},
		"header only": {"a,b\n", "a has no values"},
		"empty":       {"", "the text is empty"},
	} {
		_, errs, code := play(t, "demo", "--csv", write(t, "x.csv", c.text), "--exit", "--listen", "127.0.0.1:0")
		if code != program.ExitFailed || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d, got %s want %s", name, code, errs, c.want)
		}
	}
}

// TestServeEndsWhenInterrupted: the process ends well, and its directory can
// be served again.
func TestServeEndsWhenInterrupted(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "data")
	for range 2 {
		ctx, cancel := context.WithCancel(context.Background())
		c := begin(ctx, t, "serve", "--data-dir", directory, "--listen", "127.0.0.1:0")
		c.until(t, "anonsql.db", func() bool { return exists(filepath.Join(directory, "anonsql.db")) })
		cancel()
		if code := c.code(t); code != 0 && code != program.ExitInterrupted {
			t.Fatalf("exit %d: %s", code, c.errs.String())
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestManual: the manual page has every command and flag.
func TestManual(t *testing.T) {
	out, _, code := play(t, "manual")
	if code != 0 {
		t.Fatalf("exit %d", code)
	}
	for _, c := range newRoot().Commands() {
		if !c.Hidden && !strings.Contains(out, ".SS anonsql "+roff(c.Use)+"\n") {
			t.Errorf("the manual has no command %s", c.Name())
		}
	}
	for _, want := range []string{`.B \-\-max\-result\-bytes `, `.B \-\-data\-dir string`, `(default \&./anonsql\-data)`, ".TH ANONSQL 1"} {
		if !strings.Contains(out, want) {
			t.Errorf("the manual has no %s", want)
		}
	}
	if got := roff(".x\n'y\n-a\\n"); got != "\\&.x\n\\&'y\n\\-a\\en" {
		t.Errorf("escaped: %q", got)
	}
}

// TestStableFlags: every subcommand and flag of 1.0 is there, with its type (docs/compatibility.md). A later 1.x adds some, and the file does not change.
func TestStableFlags(t *testing.T) {
	var flags []string
	for _, c := range newRoot().Commands() {
		flags = append(flags, c.Name())
		c.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, c.Name()+" --"+f.Name+" "+f.Value.Type()) })
	}
	text, err := os.ReadFile("testdata/flags-1.0.txt")
	if err != nil {
		t.Fatal(err)
	}
	stable := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(stable) < 80 {
		t.Errorf("1.0 had %d flags only: %q", len(stable), flags)
	}
	for _, flag := range stable {
		if !slices.Contains(flags, flag) {
			t.Errorf("%s is gone: 1.x keeps it", flag)
		}
	}
}
