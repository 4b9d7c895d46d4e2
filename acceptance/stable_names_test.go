package acceptance

import (
	dbsql "database/sql"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/functions"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
)

// stableNames has every SQL name of 1.0, one per line. A later 1.x may add names; the file does not change.
const stableNames = "testdata/names-1.0.txt"

// TestStableNames: every name of 1.0 exists (docs/compatibility.md). -rewrite writes the list, only for a new major version.
func TestStableNames(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	census.Import(t, s.Addr, census.Write(t, 100))
	owner := s.Open(t, servertest.Root)
	run(t, owner, "CALL set_attributes('census.people', 'qi=age,sex', 'sa=disease')")
	run(t, owner, "CALL anonymize('census.people', 'anatomy', 'l=2', 'publish=people')")
	names := namesInSQL(t, owner)
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(stableNames, []byte(strings.Join(names, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(stableNames)
	if err != nil {
		t.Fatal(err)
	}
	stable := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(stable) < 400 {
		t.Errorf("%s has %d names only", stableNames, len(stable))
	}
	for _, name := range stable {
		if !slices.Contains(names, name) {
			t.Errorf("%s is gone: 1.x keeps it", name)
		}
	}
}

// namesInSQL returns the names that a client may write, or finds as a column.
func namesInSQL(t *testing.T, owner *dbsql.DB) (names []string) {
	t.Helper()
	add := func(format string, arguments ...any) { names = append(names, fmt.Sprintf(format, arguments...)) }
	for _, p := range options.All() {
		for _, o := range p.Options {
			add("procedure %s, option %s", p.Name, o.Name)
		}
	}
	for _, p := range (&functions.Environment{}).Procedures() {
		for i, c := range p.Schema {
			add("procedure %s, column %d %s", p.Name, i+1, c.Name)
		}
	}
	for _, m := range methods.All() {
		for _, p := range m.Parameters {
			add("method %s, parameter %s", m.Name, p.Name)
		}
	}
	for _, f := range functions.Scalars() {
		add("function %s", f.FunctionName())
	}
	for _, call := range []string{
		"anon_privacy(people)", "anon_utility(people)", "anon_qi_weights('census.people')", "anon_association('census.people')", "anon_detect('census.people')", "anon_risk('census.people')",
	} {
		rows, err := owner.Query("SELECT * FROM " + call + " LIMIT 0")
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		function, _, _ := strings.Cut(call, "(")
		for i, c := range columns {
			add("table function %s, column %d %s", function, i+1, c)
		}
	}
	const system = "SELECT table_name, column_name, ordinal_position FROM information_schema.columns WHERE table_schema = 'anonsql' ORDER BY table_name, ordinal_position"
	for _, row := range fetchRows(t, owner, system) {
		add("anonsql.%v, column %v %v", row[0], row[2], row[1])
	}
	for _, row := range fetchRows(t, owner, "SHOW VARIABLES LIKE 'anon\\_%'") {
		add("variable %v", row[0])
	}
	return names
}
