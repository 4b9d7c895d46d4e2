package documents

import (
	"cmp"
	"context"
	dbsql "database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
	"github.com/anonsql/anonsql/testsize"
)

// analystPassword matches the password that a document gives the account bi.
var analystPassword = regexp.MustCompile(`create_analyst\('bi', '([^']*)'`)

// sqlBlock matches a block of SQL: the account, the error with which it must end, and the statements.
var sqlBlock = regexp.MustCompile("(?s)```sql( analyst)?(?: error (\\d+))?\n(.*?)```")

// typedStatement matches a statement and its end: \G makes the client show a row as a page, one line per column.
var typedStatement = regexp.MustCompile(`(?s)\s*(\S.*?)(;|\\G|$)(?:\n|$)`)

// Every SQL statement of the README and of docs runs as written, in order, on the sample people and visits, and has an answer; analysts' statements
// run as the analyst. A block that must fail fails with its number. The order of documents does not matter: in full one server runs all of them
// forwards, and another one backwards, so that each runs after each other one; in small tests, some in each direction. Answers fit a terminal, except
// those of statements that end with \G.
func TestDocuments(t *testing.T) {
	documents := documentsWithSQL(t)
	forwards := documents
	if !testsize.Named() {
		forwards = testsize.Some(testsize.Levels(9, len(documents), len(documents)), documents)
	}
	for name, order := range map[string][]document{"forwards": forwards, "backwards": reversed(documents)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlayer(t)
			for _, d := range order {
				t.Run(d.name, func(t *testing.T) { p.play(t, d) })
			}
		})
	}
}

// The order of pages does not matter: a release belongs to one table, and no page drops a database that it has not created.
func TestPagesShareNoNames(t *testing.T) {
	tables := make(map[string]string) // by release
	for _, d := range documentsWithSQL(t) {
		for _, block := range d.blocks {
			for statement := range strings.SplitSeq(block[3], ";") {
				published := publishing.FindStringSubmatch(strings.TrimSpace(statement))
				if published == nil || block[2] != "" {
					continue
				}
				release, table := cmp.Or(published[2], published[1]), strings.Split(statement, "'")[1]
				if other := cmp.Or(tables[release], table); other != table {
					t.Errorf("%s: release %s of %s has the name of one of %s", d.name, release, table, other)
				}
				tables[release] = table
			}
			for _, dropped := range droppedDatabase.FindAllStringSubmatch(block[3], -1) {
				if !strings.Contains(block[3], "CREATE DATABASE "+dropped[1]+";") || strings.Contains("census clinic", dropped[1]) {
					t.Errorf("%s drops database %s, which other pages read", d.name, dropped[1])
				}
			}
		}
	}
}

var droppedDatabase = regexp.MustCompile(`DROP DATABASE (?:IF EXISTS )?(\w+)`)

// A document is a page with blocks of SQL.
type document struct {
	name, text string
	blocks     [][]string // as sqlBlock finds them
}

func documentsWithSQL(t *testing.T) (documents []document) {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, path := range append([]string{"../../README.md", "../../SECURITY.md"}, pages...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if blocks := sqlBlock.FindAllStringSubmatch(string(text), -1); len(blocks) > 0 {
			documents = append(documents, document{filepath.Base(path), string(text), blocks})
			total += len(blocks)
		}
	}
	if total < 40 {
		t.Fatalf("only %d blocks of SQL were found", total)
	}
	return documents
}

// reversed has some of them, without the four longest, which publish by every method and measure much; but all in full.
func reversed(documents []document) []document {
	other := slices.DeleteFunc(slices.Clone(documents), func(d document) bool {
		return slices.Contains([]string{"methods.md", "choosing.md", "README.md", "what-people-bring.md"}, d.name) && !testsize.All()
	})
	slices.Reverse(other)
	return testsize.Some(testsize.Levels(2, 3, len(other)), other)
}

// Pages whose publications are measured, where each measurement takes as long as everything else: the errors of completed tables, and what attackers
// learn. And pages, and releases, that answer from completed tables. The widths of intervals are measured for releases that pages ask for intervals.
// In full all publications are completed and measured.
var (
	misfitMeasured  = []string{"README.md", "estimates.md"}
	attacksMeasured = []string{"README.md", "tutorial.md", "attacks.md", "risk.md", "measured.md"}
	completed       = []string{"README.md", "tutorial.md", "estimates.md", "answers.md", "datapackage.md", "analysts.md", "bi.md", "weighted", "two"}
)

// sized is a statement of a page, in full as it stands.
func (d document) sized(statement string) string {
	if testsize.All() {
		return statement
	}
	if trying.MatchString(statement) {
		// Of so few records, one sample in fifty has no four groups of different values.
		return strings.TrimSuffix(trials.ReplaceAllString(statement, "'$1=$2'"), ")") + ", 'seed=1')"
	}
	published := publishing.FindStringSubmatch(statement)
	if published == nil {
		return statement
	}
	release := cmp.Or(published[2], published[1])
	for _, part := range []struct {
		option, without string
		wanted          bool
	}{
		{"misfit=", "misfit=false", slices.Contains(misfitMeasured, d.name)}, {"attack", "attacks=false", slices.Contains(attacksMeasured, d.name)},
		{"'calibrate=", "calibrate=false", d.asksIntervals(release) || slices.Contains(misfitMeasured, d.name)}, {"'fit=", "fit=false", slices.Contains(completed, d.name) || slices.Contains(completed, release)},
	} {
		if !part.wanted && !strings.Contains(statement, part.option) {
			statement = strings.TrimSuffix(statement, ")") + ", '" + part.without + "')"
		}
	}
	return statement
}

// asksIntervals reports whether a statement of the page queries a release's intervals.
func (d document) asksIntervals(release string) bool {
	return slices.ContainsFunc(d.blocks, func(block []string) bool {
		return slices.ContainsFunc(strings.Split(block[3], ";"), func(statement string) bool {
			return strings.Contains(statement, "ANON_INTERVAL") && strings.Contains(statement, release)
		})
	})
}

// trying matches statements that try methods. trials matches the number of records that they use; sized reduces it to a tenth.
var (
	trying = regexp.MustCompile(`^CALL (advise|tune)\(`)
	trials = regexp.MustCompile(`'(sample|queries)=(\d+)0'`)
)

// A player has a server with the sample people and visits, and plays documents on it.
type player struct {
	server *servertest.Server
	owner  *dbsql.DB
}

func newPlayer(t *testing.T) *player {
	s := servertest.Start(t, server.Config{Extend: server.Product, ExportDir: t.TempDir()})
	census.Import(t, s.Addr, census.Write(t, testsize.Of(1200, 1500))) // pages delete some, and the learner needs 1,000
	census.ImportVisits(t, s.Addr, 5000)                               // of more than 1,000 patients
	return &player{s, s.Open(t, servertest.Root)}
}

func (p *player) play(t *testing.T, d document) {
	var analyst *dbsql.DB
	for _, block := range d.blocks {
		db := p.owner
		if block[1] != "" {
			if analyst == nil {
				analyst = p.analyst(t, d)
			}
			db = analyst
		}
		for _, typed := range typedStatement.FindAllStringSubmatch(block[3], -1) {
			statement, tall := typed[1], typed[2] == `\G`
			if width := playStatement(t, db, d.sized(statement), block[2]); width > terminal && !tall {
				t.Errorf("%s\nis %d columns wide, a terminal has %d: select what the page speaks of, or end it with \\G", statement, width, terminal)
			}
			if published := publishing.FindStringSubmatch(statement); published != nil && block[2] == "" && !strings.Contains(statement, "dry_run=true") {
				p.measuresFit(t, cmp.Or(published[2], published[1]))
			}
		}
	}
}

// measuresFit looks at all of ANON_UTILITY, which every method fills with other measures and facts.
func (p *player) measuresFit(t *testing.T, release string) {
	t.Helper()
	switch n, width, err := widthOf(p.owner, "SELECT * FROM ANON_UTILITY("+release+")"); {
	case err != nil || n < 10:
		t.Errorf("ANON_UTILITY(%s) has %d rows: %v", release, n, err)
	case width > terminal:
		t.Errorf("ANON_UTILITY(%s) is %d columns wide, a terminal has %d", release, width, terminal)
	}
}

// analyst connects as the account that the document creates.
func (p *player) analyst(t *testing.T, d document) *dbsql.DB {
	t.Helper()
	password := analystPassword.FindStringSubmatch(d.text)
	if password == nil {
		t.Fatal("it makes no account bi")
	}
	db := p.server.Open(t, servertest.Account{User: "bi", Password: password[1], Database: "published"})
	db.SetMaxOpenConns(1) // SHOW WARNINGS is of the session
	return db
}

// publishing matches the table and the name of a publication.
var publishing = regexp.MustCompile(`(?s)^CALL anonymize\('\w+\.(\w+)'(?:.*'publish=(\w+)')?`)

// terminal is how many columns a page's answers have room in, as the client draws them.
const terminal = 120

// playStatement runs one statement to its end, and returns how wide its answer is. number is the error that it must
// give, "" for none.
func playStatement(t *testing.T, db *dbsql.DB, statement, number string) (width int) {
	t.Helper()
	rows, width, err := widthOf(db, statement)
	if number != "" {
		var refusal *mysql.MySQLError
		if !errors.As(err, &refusal) || strconv.Itoa(int(refusal.Number)) != number {
			t.Errorf("%s\nmust fail with %s: %v", statement, number, err)
		}
		return 0
	}
	if err != nil {
		t.Fatalf("%s\n%v", statement, err)
	}
	verb, _, _ := strings.Cut(statement, " ")
	if rows == 0 && (verb == "SELECT" || verb == "CALL" || verb == "SHOW" || verb == "EXPLAIN") {
		t.Errorf("%s\nhas no rows", statement)
	}
	return width
}

// widthOf counts the rows of an answer, and the columns of the frame that the mariadb client draws around it.
func widthOf(db *dbsql.DB, statement string) (n, width int, err error) {
	rows, err := db.QueryContext(context.Background(), statement)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	header, err := rows.Columns()
	if err != nil {
		return 0, 0, err
	}
	widths, cells, targets := make([]int, len(header)), make([]dbsql.RawBytes, len(header)), make([]any, len(header))
	for i, name := range header {
		widths[i], targets[i] = utf8.RuneCountInString(name), &cells[i]
	}
	for rows.Next() {
		n++
		if err := rows.Scan(targets...); err != nil {
			return n, 0, err
		}
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCount(cell))
			if cell == nil {
				widths[i] = max(widths[i], len("NULL"))
			}
		}
	}
	width = 1
	for _, w := range widths {
		width += w + len("|  ")
	}
	return n, width, rows.Err()
}
