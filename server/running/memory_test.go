package running

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/ledger"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// A row takes its values, and 16 bytes for each as an interface; without large values,
// what is left of them.
func TestRowMemory(t *testing.T) {
	large := strings.Repeat("x", ledger.Large)
	for _, c := range []struct {
		row         sql.Row
		want, small int64
	}{
		{sql.Row{}, 24, 24},
		{sql.Row{nil, nil}, 24 + 32, 24 + 32},
		{sql.Row{int64(1), time.Time{}}, 24 + 2*32, 24 + 2*32},
		{sql.Row{"four", []byte("five!")}, 24 + (32 + 4) + (40 + 5), 24 + (32 + 4) + (40 + 5)},
		{sql.Row{large, "x"}, 24 + 32 + ledger.Large + 33, 24 + 32 + 33},
		{sql.Row{[]byte(large), []byte(large[1:])}, 24 + 2*40 + 2*ledger.Large - 1, 24 + 2*40 + ledger.Large - 1},
	} {
		if got, small := RowMemory(c.row), SmallRowMemory(c.row); got != c.want || small != c.small {
			t.Errorf("a row of %d values takes %d bytes, %d without large values; want %d, %d", len(c.row), got, small, c.want, c.small)
		}
	}
	document := types.JSONDocument{Val: map[string]any{"a": "some text"}}
	if got := RowMemory(sql.Row{document}); got < 24+16+int64(len("some text")) {
		t.Errorf("a document takes %d bytes", got)
	}
}

// A short text is free; a long one takes its bytes, and its words and operators, whether
// blanks stand between them or not.
func TestTreeMemory(t *testing.T) {
	if got := TreeMemory(strings.Repeat("1", FreeText-1)); got != 0 {
		t.Errorf("a short text takes %d bytes", got)
	}
	if long := strings.Repeat("1", FreeText); TreeMemory(long) != KeptTreeMemory(long) || TreeMemory(long) < FreeText {
		t.Errorf("a long text takes %d bytes, kept %d", TreeMemory(long), KeptTreeMemory(long))
	}
	for text, words := range map[string]int64{
		"": 0, "SELECT": 0, "SELECT ": 1, "SELECT a ": 2, "  SELECT\t\n a  ": 2, "a,b": 1, "f(a)": 1, "(a+b)-c*d/e": 5, "!~a=b<c>d": 5, "a , b ": 4,
	} {
		if got, want := KeptTreeMemory(text), LiteralMemory*int64(len(text))+wordMemory*words; got != want {
			t.Errorf("%q takes %d bytes, want %d", text, got, want)
		}
	}
}

// max_allowed_packet is the server's, whatever integer it is set as.
func TestMaxPacket(t *testing.T) {
	newAsked(t) // an engine makes the variables
	_, before, _ := sql.SystemVariables.GetGlobal("max_allowed_packet")
	defer func() {
		if err := sql.SystemVariables.AssignValues(map[string]any{"max_allowed_packet": before}); err != nil {
			t.Error(err)
		}
	}()
	for _, value := range []any{int64(1 << 20), uint64(1 << 21)} {
		if err := sql.SystemVariables.AssignValues(map[string]any{"max_allowed_packet": value}); err != nil {
			t.Fatal(err)
		}
		if got := MaxPacket(); fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("max_allowed_packet = %v (%T): %d", value, value, got)
		}
	}
	if TextBounds.Most() != MaxPacket() {
		t.Errorf("values are bounded by %d bytes", TextBounds.Most())
	}
}

// What a statement keeps is counted in the ledger of its session; work that no client
// asked for is counted nowhere.
func TestLedgerOfAStatement(t *testing.T) {
	st := keeping("SELECT 1", 0, 0, 1<<20)
	carried, cancel := st.With(t.Context())
	defer cancel(nil)
	ctx, nobody := sql.NewContext(carried), sql.NewContext(t.Context())
	if Ledger(ctx) != st.Ledger || TextBounds.Holder(ctx) != st.Ledger || Keeper(ctx) != st.Tally {
		t.Error("it is counted elsewhere")
	}
	if Ledger(nobody) != nil || TextBounds.Holder(nobody) != nil {
		t.Error("nobody has a ledger")
	}
	if err := Keeper(nobody).Take(1 << 40); err != nil {
		t.Errorf("nobody is refused: %v", err)
	}
	if err := Keeper(ctx).Take(1000); err != nil || st.Ledger.Held() < 1000 {
		t.Errorf("%v; the session holds %d bytes", err, st.Ledger.Held())
	}
	if err := Keeper(ctx).Take(1 << 20); sqlerror.Number(sqlerror.Typed(err)) != sqlerror.Capacity {
		t.Errorf("more than the session may hold: %v", err)
	}
	st.Tally.End()
	if held := st.Ledger.Held(); held != 0 {
		t.Errorf("at its end the session holds %d bytes", held)
	}
}

// Rows on their way to the client are counted, large values as text and as packet too,
// until they are delivered, oldest first.
func TestSpool(t *testing.T) {
	large := strings.Repeat("x", ledger.Large)
	rows := []sql.Row{{int64(1)}, {large}, {[]byte(large)}, {"a", nil}}
	sizes := []int64{2 * (24 + 32), 2*(24+32) + 2*ledger.Large, 2*(24+40) + 2*ledger.Large, 2 * (24 + 33 + 16)}
	st := keeping("SELECT 1", 0, 0, 1<<20)
	for _, row := range rows {
		if err := st.Spool.Send(st, row); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(st.Spool.sizes); got != fmt.Sprint(sizes) {
		t.Errorf("on their way are %s, want %v", got, sizes)
	}
	st.Spool.Delivered(st, 1)
	if got := fmt.Sprint(st.Spool.sizes); got != fmt.Sprint(sizes[1:]) {
		t.Errorf("after the first are left %s", got)
	}
	st.Spool.Delivered(st, 10) // more than there are
	if len(st.Spool.sizes) != 0 {
		t.Errorf("left are %v", st.Spool.sizes)
	}
	huge := sql.Row{strings.Repeat("x", 1<<20)}
	if err := st.Spool.Send(st, huge); sqlerror.Number(sqlerror.Typed(err)) != sqlerror.Capacity || len(st.Spool.sizes) != 0 {
		t.Errorf("a row for which there is no room: %v, on their way %v", err, st.Spool.sizes)
	}
	for range 1000 { // what is delivered has room again
		if err := st.Spool.Send(st, rows[1]); err != nil {
			t.Fatal(err)
		}
		st.Spool.Delivered(st, 1)
	}
}

// The tables of a statement with limits are read row by row all the same, and those of one
// without are the engine's.
func TestPacedRows(t *testing.T) {
	a := newAsked(t)
	for session, want := range map[int64]int{0: 0, 64 << 20: 1} {
		st := keeping("SELECT n FROM t", 0, 0, session)
		st.Held = nil // only the pace
		next := int32(0)
		rows, err := a.run(t, st, func(row sql.Row) {
			if row[0] != next {
				t.Fatalf("row %d is %v", next, row)
			}
			next++
		})
		paced := 0
		for _, built := range *a.built {
			if _, ok := built.(*pacedRows); ok {
				paced++
			}
		}
		if err != nil || rows != 100 || paced != want {
			t.Errorf("in a session of %d bytes: %d rows, %v, %d tables paced, want %d", session, rows, err, paced, want)
		}
	}
}

// Every 64 rows, and not before it has run so long, a scan lets others run.
func TestPace(t *testing.T) {
	p := &pacedRows{RowIter: sql.RowsToRowIter(make([]sql.Row, 3*paceRows)...), last: time.Now().Add(-time.Hour)}
	began := p.last
	ctx := sql.NewContext(t.Context())
	for i := range 3 * paceRows {
		if _, err := p.Next(ctx); err != nil {
			t.Fatal(err)
		}
		if yielded := p.last != began; yielded != (i >= paceRows-1) {
			t.Fatalf("row %d: yielded is %t", i+1, yielded)
		}
	}
	p = &pacedRows{RowIter: sql.RowsToRowIter(make([]sql.Row, paceRows)...), last: time.Now().Add(time.Hour)}
	began = p.last
	for range paceRows {
		if _, err := p.Next(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if p.last != began {
		t.Error("a scan yields before its time")
	}
}
