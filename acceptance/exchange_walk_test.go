package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// moving are variables that measure time, are random, or are counted by both servers of the test together, by the
// start of their line.
var moving = regexp.MustCompile(`(?mi)^\[?\{?(uptime\w*|questions|threads_\w+|timestamp|rand_seed\d|pseudo_thread_id|server_uuid|hostname) .*$`)

// An analystSession tries the doors of one server.
type analystSession struct {
	conn     *dbsql.Conn
	replacer *strings.Replacer
	port     *regexp.Regexp
}

func (x *exchangeServers) analyst(t *testing.T, i int, user string) *analystSession {
	t.Helper()
	s := x.servers[i]
	_, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	db := s.Open(t, servertest.Account{User: user, Password: "a long password", Variables: servertest.ListsRelations})
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &analystSession{conn, strings.NewReplacer(s.Config.DataDir, "DATA", s.Config.ExportDir, "EXPORT"), regexp.MustCompile(`\{` + port + ` true\}`)}
}

// listsMaps are the statements whose rows come from maps of the engine, in random order.
var listsMaps = regexp.MustCompile(`^SELECT \* FROM information_schema|^SHOW `)

// lastField is the column seconds of CALL export_release: how long the disk took.
var lastField = regexp.MustCompile(`(?m) \{[^{}]*\}\]$`)

// madeAt matches the second in which a report was made.
var madeAt = regexp.MustCompile(`Made by anonsql on <time datetime="[^"]*">[^<]*</time>`)

var clientAddress = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// ask returns everything that a statement answers: columns with their types, rows or the error, and then SHOW
// WARNINGS. Of a denial it returns only the error, which is also its warning.
func (a *analystSession) ask(statement string) string {
	var out strings.Builder
	rows, err := a.conn.QueryContext(context.Background(), statement)
	if err == nil {
		if types, err := rows.ColumnTypes(); err == nil {
			for _, c := range types {
				length, _ := c.Length()
				precision, scale, _ := c.DecimalSize()
				nullable, _ := c.Nullable()
				fmt.Fprintln(&out, c.Name(), c.DatabaseTypeName(), length, precision, scale, nullable)
			}
		}
		var shown string
		shown, err = shownRows(rows)
		out.WriteString(shown)
	}
	if err != nil {
		fmt.Fprintln(&out, err)
	}
	warnings := ""
	if number := servertest.Number(err); number != 1142 && number != 1370 {
		warnings, _ = try(a.conn, "SHOW WARNINGS")
	}
	text := a.port.ReplaceAllString(a.replacer.Replace(out.String()+warnings), "PORT")
	text = moving.ReplaceAllString(madeAt.ReplaceAllString(clientAddress.ReplaceAllString(text, "CLIENT"), "MADE"), "$1")
	if strings.HasPrefix(statement, "CALL export_release") {
		text = lastField.ReplaceAllString(text, "")
	}
	if listsMaps.MatchString(statement) {
		text = strings.Join(slices.Sorted(strings.SplitSeq(text, "\n")), "\n")
	}
	return text
}

// deniedOften is the number of releases after which the test assumes that a door is shut to the account.
const deniedOften = 5

// A walk tries the doors of both servers, as one account.
type walk struct {
	user            string
	a, b            *analystSession
	denied          map[string]int // by statement, R for the release
	asked, answered int
}

// try sends a statement to both servers; release is "" for a door of the server.
func (w *walk) try(t *testing.T, statement, release string) {
	t.Helper()
	door := statement
	if release != "" {
		door = strings.ReplaceAll(statement, release, "R")
	}
	if w.denied[door] >= deniedOften {
		return
	}
	answer := make(chan string)
	go func() { answer <- w.b.ask(statement) }()
	first := w.a.ask(statement)
	second := <-answer
	if first != second {
		t.Errorf("%s: %s\nshows\n%.3000s\nand after the exchange\n%.3000s", w.user, statement, firstDifference(first, second), firstDifference(second, first))
	}
	w.asked++
	switch {
	case isDenied.MatchString(first):
		w.denied[door]++
	case !strings.HasPrefix(first, "Error "):
		w.answered++
	}
}

var isDenied = regexp.MustCompile(`^Error (1142|1370|1044|1227) `)

// compare tries every door of both servers as an account.
func (x *exchangeServers) compare(t *testing.T, user string, releases []string) {
	t.Helper()
	w := &walk{user: user, a: x.analyst(t, 0, user), b: x.analyst(t, 1, user), denied: map[string]int{}}
	all := listedTables(t, x.roots[0], "published")
	if other := listedTables(t, x.roots[1], "published"); !slices.Equal(all, other) {
		t.Errorf("the relations are %q and after the exchange %q", all, other)
	}
	for n, release := range releases {
		relations := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name != release && !strings.HasPrefix(name, release+"_") })
		if len(relations) < 3 {
			t.Errorf("release %s has the relations %q", release, relations)
		}
		for i, statement := range releaseDoors(t, release, relations) {
			if (i+n)%testsize.Of(3, 1) == 0 { // each release gets a third of the doors, the next release other ones
				w.try(t, statement, release)
			}
		}
	}
	for _, statement := range serverDoors(t, x) {
		w.try(t, statement, "")
	}
	t.Logf("%s: %d releases, %d statements, %d answered", user, len(releases), w.asked, w.answered)
	if w.answered < testsize.Of(40, 80)*len(releases) {
		t.Errorf("only %d of %d statements were answered", w.answered, w.asked)
	}
}

// firstDifference returns a from one line before the first difference from b.
func firstDifference(a, b string) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	return a[strings.LastIndexByte(a[:at], '\n')+1:]
}
