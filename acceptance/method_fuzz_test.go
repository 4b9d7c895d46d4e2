package acceptance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// oddTables makes the unusual tables.
func oddTables() []string {
	statements := []string{"CREATE DATABASE odd", "CREATE TABLE odd.tree (value VARCHAR(64), parent VARCHAR(64))"}
	for _, table := range hostileTables {
		statements = append(statements, fmt.Sprintf("CREATE TABLE odd.%s (%s)", table.name, table.columns), fmt.Sprintf("INSERT INTO odd.%s VALUES %s", table.name, table.rows),
			fmt.Sprintf("CALL set_attributes('odd.%s', 'qi=a,b', 'sa=s')", table.name))
	}
	return statements
}

// wellAnswered checks the errors of an answer: each has a number that says what is wrong, and does not mention the
// server's inside.
func (s *fuzzed) wellAnswered(t *testing.T, statement string, err error) {
	t.Helper()
	if fault := s.faults.take(); fault != "" {
		t.Errorf("%s\n%s", statement, fault)
	}
	if err == nil {
		return
	}
	if number := servertest.Number(err); number == 0 || number == 1105 {
		t.Errorf("%s\n%v", statement, err)
	}
	if word := internal(statement, err.Error()); word != "" {
		t.Errorf("%s\nsays %q: %v", statement, word, err)
	}
}

// literal writes a text as SQL.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(text) + "'"
}

// valid reports whether a connection in utf8mb4 may send the text.
func valid(text string) string { return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "?") }

// FuzzMethodCall: with any options, on any table, as CALL anonymize and as a table function, a method is refused by
// an error that says why. Or there is a release that counts all records and keeps all its promises, recomputed from
// the published data.
//
// choice selects a table and a method. Semicolons separate options; an option that begins with { is a JSON object. A
// table function takes the text as it is.
func FuzzMethodCall(f *testing.F) {
	all := methods.All()
	for i, m := range all {
		for j, arguments := range hostileArguments[m.Name] {
			options := strings.ReplaceAll(strings.Trim(arguments, "'"), "','", ";")
			f.Add(uint16((i*5+j)%len(hostileTables)+i*len(hostileTables)), false, options+";qi=a,b;sa=s")
		}
		f.Add(uint16(2+i*len(hostileTables)), false, `{"qi": ["a", "b"], "sa": "s", "k": 2, "l": 2.0, "private": true}`)
		f.Add(uint16(4+i*len(hostileTables)), true, "")
		f.Add(uint16(4+i*len(hostileTables)), true, "1, 0.5, k = 2, qi = 'a', sa = s, seed = NULL")
	}
	for _, options := range []string{"dry_run=true", "publish=tree;replace=true", "publish=`a b`", "seed=", "k=2;k=2", "{", `{"a": {}}`, "updates=sealed;k=2;auto_refresh=1", "attacks=maybe", "calibrate=true;beta=1/2", "beta=1e-400", "qi=a;sa=a", "qi=;sa=", "private=true;updates=printed;k=2"} {
		f.Add(uint16(4), false, options)
		f.Add(uint16(4+slices.IndexFunc(all, isDRASL)*len(hostileTables)), false, options)
	}
	s := fuzzedServer(f, server.Config{MemoryLimit: 2 << 30}, oddTables()...)
	f.Fuzz(func(t *testing.T, choice uint16, function bool, options string) {
		table := hostileTables[int(choice)%len(hostileTables)].name
		m := all[int(choice)/len(hostileTables)%len(all)]
		options = valid(options)
		if function {
			s.callFunction(t, table, m.Name, options)
			return
		}
		call := fmt.Sprintf("CALL anonymize('odd.%s', '%s'", table, m.Name)
		if strings.HasPrefix(options, "{") {
			call += ", " + literal(options)
		} else if options != "" {
			for _, option := range strings.Split(options, ";") {
				call += ", " + literal(option)
			}
		}
		if !strings.Contains(strings.ToLower(options), "private") {
			call += ", 'private=true'" // earlier public releases would be in the way
		}
		rows, err := tryRows(s.root, call+")")
		s.wellAnswered(t, call+")", err)
		if err != nil {
			return
		}
		if len(rows) != 1 || len(rows[0]) != 8 {
			t.Fatalf("%s: %v", call, rows)
		}
		if name, status := rows[0][0].(string), rows[0][3].(string); status != "dry run" {
			s.checkRelease(t, call, name, table)
			servertest.Exec(t, s.root, "CALL drop_release("+literal(name)+")")
		}
	})
}

func isDRASL(m anonymize.Method) bool { return m.Name == "drasl" }

// badArgument matches errors of the arguments' SQL, which the fuzzer makes.
var badArgument = regexp.MustCompile(`(?i)syntax error|sleep|benchmark`)

func (s *fuzzed) callFunction(t *testing.T, table, method, arguments string) {
	t.Helper()
	if arguments != "" {
		arguments = ", " + arguments
	}
	if badArgument.MatchString(arguments) || strings.Contains(arguments, ";") {
		return
	}
	query := fmt.Sprintf("SELECT * FROM %s(odd.%s%s)", method, table, arguments)
	_, err := tryRows(s.root, query)
	if fault := s.faults.take(); fault != "" {
		t.Errorf("%s\n%s", query, fault)
	}
	if err != nil {
		if word := internal(query, err.Error()); word != "" {
			t.Errorf("%s\nsays %q: %v", query, word, err)
		}
	}
}

// checkRelease recomputes the promises of a release, and queries it.
func (s *fuzzed) checkRelease(t *testing.T, call, name, table string) {
	t.Helper()
	view := "published.`" + strings.ReplaceAll(name, "`", "``") + "`"
	if broken, err := tryRows(s.root, "SELECT guarantee, achieved, detail FROM ANON_PRIVACY("+literal(name)+") WHERE NOT holds"); err != nil || len(broken) > 0 {
		t.Errorf("%s\nbroken: %v, %v", call, broken, err)
	}
	want, err := tryRows(s.root, "SELECT COUNT(*) + 0e0 FROM odd."+table)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tryRows(s.root, "SELECT COUNT(*) FROM "+view)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s\n%v records are estimated, %v: of %v", call, got, err, want)
	}
	for _, query := range []string{"SELECT * FROM %s LIMIT 3", "SELECT COUNT(*) FROM %s GROUP BY 1 = 1", "SHOW COLUMNS FROM %s"} {
		query = fmt.Sprintf(query, view)
		_, err := tryRows(s.root, query)
		s.wellAnswered(t, call+"\n"+query, err)
	}
}

// FuzzSetTaxonomy: any source of a taxonomy, on any column, is refused by an error that says why. Or the stored
// taxonomy is a tree: it has one root, leaves for all values, and groups that a method can release.
//
// choice selects a table and its column. \x1f separates options. tree has the rows of odd.tree: value and parent,
// separated by a tab.
func FuzzSetTaxonomy(f *testing.F) {
	for i := range hostileTables {
		for column := range 3 {
			f.Add(uint16(i*3+column), []string{"intervals=1,10,1000", "prefix=1", "date=month,year", "equal_frequency=2"}[(i+column)%4], "")
		}
	}
	f.Add(uint16(9), "intervals=1e18\x1forigin=-1e300", "")
	f.Add(uint16(15), "intervals=0.1,0.2\x1forigin=0.05", "")
	f.Add(uint16(3), "table=odd.tree", "1\tlow\n2\tlow\nlow\t*")
	f.Add(uint16(4), "table=odd.tree\x1fvalue=parent\x1fparent=value", "r\tx\nr\ty\n*\tr")
	f.Add(uint16(3), "table=odd.tree\x1flevels=value,parent", "1\t*\n2\t*")
	f.Add(uint16(4), "hierarchy=x;a;*\ny;b;*", "")
	f.Add(uint16(4), "hierarchy=x;\"a;*\ny;b;*", "")
	f.Add(uint16(24), "order=low,mid,high", "")
	f.Add(uint16(24), "drop=true", "")
	f.Add(uint16(4), `{"prefix": [1]}`, "")
	f.Add(uint16(21), "date=day,decade", "")
	s := fuzzedServer(f, server.Config{MemoryLimit: 2 << 30}, oddTables()...)
	f.Fuzz(func(t *testing.T, choice uint16, options, tree string) {
		if len(tree)+len(options) > 1<<14 {
			return
		}
		table, column := hostileTables[int(choice)/3%len(hostileTables)].name, "abs"[choice%3:][:1]
		options = valid(options)
		if strings.Contains(options, "table") {
			s.plantTree(t, valid(tree))
		}
		call := fmt.Sprintf("CALL set_taxonomy('odd.%s', '%s'", table, column)
		for _, option := range strings.Split(options, "\x1f") {
			call += ", " + literal(option)
		}
		rows, err := tryRows(s.root, call+")")
		s.wellAnswered(t, call+")", err)
		if err != nil || len(rows) == 0 {
			return
		}
		stored, err := tryRows(s.root, fmt.Sprintf("SELECT kind, nodes, leaves, height, root FROM anonsql.taxonomies WHERE `database` = 'odd' AND `table` = '%s' AND `column` = '%s'", table, column))
		if err != nil || len(stored) != 1 {
			t.Fatalf("%s is stored as %v, %v", call, stored, err)
		}
		qi, sa := column, "s"
		if column == "s" {
			sa = "b"
		}
		release := fmt.Sprintf("CALL anonymize('odd.%s', 'mondrian', 'k=2', 'qi=%s', 'sa=%s', 'dry_run=true')", table, qi, sa)
		_, err = tryRows(s.root, release)
		s.wellAnswered(t, call+"\n"+release, err)
		release = strings.Replace(release, "'mondrian'", "'fulldomain'", 1)
		_, err = tryRows(s.root, release)
		s.wellAnswered(t, call+"\n"+release, err)
		servertest.Exec(t, s.root, fmt.Sprintf("CALL set_taxonomy('odd.%s', '%s', 'drop=true')", table, column))
	})
}

func (s *fuzzed) plantTree(t *testing.T, tree string) {
	t.Helper()
	var rows []string
	for _, line := range strings.Split(tree, "\n") {
		value, parent, _ := strings.Cut(line, "\t")
		if len(value) > 64 || len(parent) > 64 {
			return
		}
		rows = append(rows, "("+literal(value)+", NULLIF("+literal(parent)+", ''))")
	}
	servertest.Exec(t, s.root, "DELETE FROM odd.tree", "INSERT INTO odd.tree VALUES "+strings.Join(rows, ", "))
}
