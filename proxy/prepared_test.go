package proxy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/relay/protocol"
)

// once is behind the number of a statement that is executed: no cursor, one time.
var once = []byte{0, 1, 0, 0, 0}

// withText is once with one parameter that is a text.
func withText(text string) []byte {
	size := []byte{byte(len(text))}
	if len(text) >= 0xfb {
		size = []byte{0xfd, byte(len(text)), byte(len(text) >> 8), byte(len(text) >> 16)}
	}
	return append(append(append(append([]byte{}, once...), 0, 1, 0xfd, 0), size...), text...)
}

// TestNewestStatement: MariaDB's -1 means the statement prepared last, by us or upstream.
func TestNewestStatement(t *testing.T) {
	const newest = 1<<32 - 1
	f, owner := publishedPeople(t)
	w := dialWire(t, f.owners, "testneweststatement")
	if got := failure(w.of(protocol.StmtExecute, newest, once...)); got != 1243 {
		t.Errorf("before one is prepared: %d", got)
	}
	answers := map[string]bool{}
	for _, text := range []string{"SELECT 41", "SELECT COUNT(*) FROM published.people", "SELECT 42", "SELECT COUNT(*) + 1 FROM published.people"} {
		number := w.prepare(text)
		want := fmt.Sprintf("%q", w.of(protocol.StmtExecute, number, once...))
		answers[want] = true
		if got := fmt.Sprintf("%q", w.of(protocol.StmtExecute, newest, once...)); got != want {
			t.Errorf("%s: -1 is answered by %s, want %s", text, got, want)
		}
	}
	if len(answers) != 4 {
		t.Errorf("the answers are not four: %v", answers)
	}
	w.command(protocol.StmtPrepare, []byte("SELECT nothing FROM published.people")...)
	if got := failure(w.of(protocol.StmtExecute, newest, once...)); got != 1243 {
		t.Errorf("after one that was not prepared: %d", got)
	}
	owner.want("SELECT COUNT(*) FROM published.people", "300")
}

// TestBulk: MariaDB's command for many rows is refused for a statement of ours, and never executes another one upstream.
func TestBulk(t *testing.T) {
	const newest = 1<<32 - 1
	f, owner := publishedPeople(t)
	owner.exec("CREATE TABLE written (a VARCHAR(9))")
	w := dialWire(t, f.owners, "testbulk")
	w.prepare("INSERT INTO written VALUES (?)")
	ours := w.prepare("SELECT COUNT(*) FROM published.people WHERE disease <> ?")
	rows := []byte{128, 0, 0xfd, 0, 0, 1, 'x', 0, 1, 'y'} // with types; two rows
	for _, number := range []uint32{ours, newest} {
		if got := failure(w.of(protocol.StmtBulkExecute, number, rows...)); got != 1235 {
			t.Errorf("in bulk, by %d: %d", int32(number), got)
		}
		if got := failure(w.of(protocol.StmtExecute, number, withText("x")...)); got != 0 {
			t.Errorf("afterwards: %d", got)
		}
	}
	owner.want("SELECT COUNT(*) FROM written", "0")
}

// TestLongParameters: a parameter of which the router sees the beginning alone is refused, whichever way it comes, and no other is.
func TestLongParameters(t *testing.T) {
	f, _ := publishedPeople(t)
	w := dialWire(t, f.owners, "testlongparameters")
	long := strings.Repeat("x", 2<<20)
	number := w.prepare("SELECT COUNT(*) FROM published.people WHERE disease <> ?")
	if got := failure(w.of(protocol.StmtExecute, number, withText(long)...)); got != 1153 {
		t.Errorf("a long parameter: %d", got)
	}
	w.of(protocol.StmtSendLongData, number, append([]byte{0, 0}, "short"...)...)
	w.of(protocol.StmtSendLongData, number, append([]byte{0, 0}, long...)...)
	if got := failure(w.of(protocol.StmtExecute, number, withText("")[:9]...)); got != 1153 {
		t.Errorf("a long piece of a parameter: %d", got)
	}
	if got := w.of(protocol.StmtExecute, number, withText("x")...); failure(got) != 0 {
		t.Errorf("a short parameter afterwards: %q", got)
	}
	w.of(protocol.StmtSendLongData, number, append([]byte{0, 0}, long...)...)
	w.of(protocol.StmtReset, number)
	if got := w.of(protocol.StmtExecute, number, withText("x")...); failure(got) != 0 {
		t.Errorf("after COM_STMT_RESET: %q", got)
	}
}

// TestCommandsWithoutAnswers: what is not answered is not answered by an error, and nothing but an execution changes what upstream says next.
func TestCommandsWithoutAnswers(t *testing.T) {
	f, _ := publishedPeople(t)
	w := dialWire(t, f.owners, "testcommandswithoutanswers")
	first, second := w.prepare("SELECT COUNT(*) FROM published.people WHERE disease = ?"), w.prepare("SELECT COUNT(*) FROM published.people")
	w.command(protocol.Query, []byte("SET NAMES latin2")...)
	w.of(protocol.StmtSendLongData, first, 0, 0, 'x')
	w.of(protocol.StmtClose, first)
	if got := w.value("SELECT 41"); got != "41" {
		t.Errorf("the answer after COM_STMT_CLOSE is %q", got)
	}
	w.command(protocol.Query, []byte("SET NAMES utf8mb4")...)
	w.command(protocol.Query, []byte("DELETE FROM people WHERE id < 3")...)
	if got := w.of(protocol.StmtReset, second); failure(got) != 0 {
		t.Errorf("COM_STMT_RESET: %q", got)
	}
	w.of(protocol.StmtClose, second)
	if got := w.value("SELECT ROW_COUNT()"); got != "3" {
		t.Errorf("after COM_STMT_RESET and COM_STMT_CLOSE ROW_COUNT() is %s", got)
	}
	third := w.prepare("SELECT COUNT(*) FROM published.people")
	w.command(protocol.Query, []byte("DROP TABLE IF EXISTS nothing")...)
	w.of(protocol.StmtReset, third)
	w.of(protocol.StmtClose, third)
	if got := w.command(protocol.Query, []byte("SHOW WARNINGS")...); !strings.Contains(fmt.Sprintf("%q", got), "nothing") {
		t.Errorf("SHOW WARNINGS is %q", got)
	}
}

// TestStatementsInLatin1: texts beyond ASCII in a character set other than UTF-8 are refused, and numbers are not.
func TestStatementsInLatin1(t *testing.T) {
	_, owner := publishedPeople(t)
	owner.exec("SET NAMES latin1")
	owner.refused("SELECT COUNT(*) FROM published.people WHERE disease <> 'K\xf6ln'", 1115, "latin1")
	for _, parameters := range [][]any{{"x", 200}, {"x", -1}, {"x", 2.5}, {nil, 200}} {
		if _, err := owner.tries("SELECT COUNT(*) FROM published.people WHERE disease <> ? AND age < ?", parameters...); err != nil {
			t.Errorf("parameters %v: %v", parameters, err)
		}
	}
	for _, parameters := range [][]any{{"K\xf6ln", 200}, {"\xf6" + strings.Repeat("x", 300), -1}, {"K\xf6ln", nil}} {
		_, err := owner.tries("SELECT COUNT(*) FROM published.people WHERE disease <> ? AND age < ?", parameters...)
		var refused *mysql.MySQLError
		if !errors.As(err, &refused) || refused.Number != 1115 {
			t.Errorf("parameters %.20v: %v", parameters, err)
		}
	}
	for _, set := range []string{"utf8mb4", "utf8mb3"} {
		owner.exec("SET NAMES " + set)
		owner.want("SELECT COUNT(*) FROM published.people WHERE disease <> 'Köln'", "300")
	}
}

// TestLongTextInLatin1: so are those that come by COM_STMT_SEND_LONG_DATA, also where the parameters were bound before.
func TestLongTextInLatin1(t *testing.T) {
	f, _ := publishedPeople(t)
	w := dialWire(t, f.owners, "testlongtextinlatin1")
	w.command(protocol.Query, []byte("SET NAMES latin1")...)
	for _, c := range []struct {
		text string
		want uint16
	}{{"Koln", 0}, {"K\xf6ln", 1115}} {
		number := w.prepare("SELECT COUNT(*) FROM published.people WHERE disease <> ?")
		w.of(protocol.StmtSendLongData, number, append([]byte{0, 0}, c.text...)...)
		if got := failure(w.of(protocol.StmtExecute, number, withText("")[:9]...)); got != c.want {
			t.Errorf("the long text %q: %d, want %d", c.text, got, c.want)
		}
		number = w.prepare("SELECT COUNT(*) FROM published.people WHERE disease <> ?")
		w.of(protocol.StmtExecute, number, withText("x")...)
		bound := append(append(append([]byte{}, once...), 0, 0), withText(c.text)[9:]...)
		if got := failure(w.of(protocol.StmtExecute, number, bound...)); got != c.want {
			t.Errorf("the text %q, bound before: %d, want %d", c.text, got, c.want)
		}
	}
}

// TestRefusalsKeepTheSession: a statement that is refused in its character set leaves the session as it was. One of a session that has ended is
// no other's.
func TestRefusalsKeepTheSession(t *testing.T) {
	f, _ := publishedPeople(t)
	w := dialWire(t, f.owners, "testrefusalskeepthesession")
	w.command(protocol.Query, []byte("SET NAMES latin1")...)
	w.command(protocol.Query, []byte("USE published")...)
	w.command(protocol.Query, []byte("SET anon_estimator = 'independent'")...)
	first := w.prepare("SELECT COUNT(*) FROM people WHERE disease <> ?")
	want := fmt.Sprintf("%q", w.of(protocol.StmtExecute, first, withText("x")...))
	if got := failure(w.of(protocol.StmtExecute, first, withText("K\xf6ln")...)); got != 1115 {
		t.Errorf("a text in latin1: %d", got)
	}
	if got := w.value("SELECT @@anon_estimator"); got != "independent" {
		t.Errorf("after the refusal anon_estimator is %s", got)
	}
	second := w.prepare("SELECT -1 FROM people WHERE disease = ? LIMIT 1")
	if got := fmt.Sprintf("%q", w.of(protocol.StmtExecute, first, withText("x")...)); got != want {
		t.Errorf("after the refusal the first statement is answered by %s, want %s", got, want)
	}
	w.of(protocol.StmtSendLongData, first, append([]byte{0, 0}, "K\xf6ln"...)...)
	if got := failure(w.of(protocol.StmtExecute, first, withText("")[:9]...)); got != 1115 {
		t.Errorf("a piece in latin1: %d", got)
	}
	again := append(append([]byte{}, once...), 0, 0, 1, 'x') // the types are those of before
	if got := fmt.Sprintf("%q", w.of(protocol.StmtExecute, first, again...)); got != want {
		t.Errorf("after the piece: %s, want %s", got, want)
	}
	w.command(protocol.ResetConnection)
	w.command(protocol.Query, []byte("USE published")...)
	if third := w.prepare("SELECT COUNT(*) + 1 FROM people WHERE disease <> ?"); third == first || third == second {
		t.Errorf("a new session's statement has the number %d again", third)
	}
	for _, old := range []uint32{first, second} {
		if got := failure(w.of(protocol.StmtExecute, old, withText("x")...)); got != 1243 {
			t.Errorf("a statement of a session that has ended: %d", got)
		}
	}
}
