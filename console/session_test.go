package console

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

func newSession(t *testing.T, all *sessions, account string) *session {
	t.Helper()
	connector, err := mysql.NewConnector(mysql.NewConfig())
	if err != nil {
		t.Fatal(err)
	}
	s := &session{id: token(), account: account, who: account + "@%", db: sql.OpenDB(connector), began: all.now(), last: all.now()}
	s.life, s.finish = context.WithCancel(t.Context())
	return s
}

// A session ends after idle time, and at the latest after twelve hours, but not while it waits for an answer.
func TestSessionsEnd(t *testing.T) {
	now := time.Now()
	all := newSessions(nil, nil)
	all.now = func() time.Time { return now }
	idle, busy := newSession(t, all, "a"), newSession(t, all, "b")
	if err := errors.Join(all.add(idle), all.add(busy)); err != nil {
		t.Fatal(err)
	}
	ended := busy.beginRequest()
	now = now.Add(idleTime)
	if all.find(idle.id, idle.from) == nil {
		t.Error("a session ended before its time")
	}
	now = now.Add(time.Second)
	if all.find(idle.id, idle.from) != nil || idle.db.Ping() == nil {
		t.Error("an idle session stays")
	}
	if all.find(busy.id, busy.from) == nil {
		t.Error("a session ended that waits for an answer")
	}
	ended()
	busy.last = now.Add(longestTime)
	now = now.Add(longestTime)
	if all.find(busy.id, busy.from) != nil {
		t.Error("a session stays beyond its longest time")
	}
}

// A ninth session of an account ends its first that waits for nothing; beyond a hundred nobody else begins.
func TestSessionsAreBounded(t *testing.T) {
	all := newSessions(nil, nil)
	first := newSession(t, all, "a")
	first.began = first.began.Add(-time.Minute)
	publishing := newSession(t, all, "a")
	publishing.began = first.began.Add(-time.Minute)
	publishing.beginRequest()
	if err := errors.Join(all.add(publishing), all.add(first)); err != nil {
		t.Fatal(err)
	}
	for range maxPerAccount - 1 {
		if err := all.add(newSession(t, all, "a")); err != nil {
			t.Fatal(err)
		}
	}
	if len(all.byID) != maxPerAccount || all.byID[first.id] != nil || all.byID[publishing.id] == nil {
		t.Errorf("%d sessions of one account", len(all.byID))
	}
	for len(all.byID) < maxSessions {
		if err := all.add(newSession(t, all, token())); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.add(newSession(t, all, "late")); !errors.Is(err, errFull) {
		t.Errorf("one session more: %v", err)
	}
	if all.endAll(); len(all.byID) != 0 {
		t.Error("sessions outlive the console")
	}
}

// Positions are percents of an axis from 0, or from the least value below it.
func TestIntervals(t *testing.T) {
	row := func(texts ...string) (row []cell) {
		for _, text := range texts {
			row = append(row, cell{Value: text, Text: text, Null: text == "NULL"})
		}
		return row
	}
	drawn := newIntervals(&table{Columns: []string{"region", "n", "low", "high"}, Rows: [][]cell{row("a", "50", "25", "100"), row("b", "0", "-100", "100")}})
	if drawn == nil || drawn.Least != "-100" || drawn.Most != "100" {
		t.Fatalf("%+v", drawn)
	}
	for i, wanted := range []lane{{"a", "50, from 25 to 100", "62.500%", "37.500%", "75.000%"}, {"b", "0, from -100 to 100", "0.000%", "100.000%", "50.000%"}} {
		if drawn.Lanes[i] != wanted {
			t.Errorf("lane %d is %+v, want %+v", i, drawn.Lanes[i], wanted)
		}
	}
	for name, none := range map[string]*table{
		"no key":      {Columns: []string{"n", "low", "high"}, Rows: [][]cell{row("1", "0", "2"), row("1", "0", "2")}},
		"no interval": {Columns: []string{"a", "n"}, Rows: [][]cell{row("1", "0"), row("1", "0")}},
		"NULL":        {Columns: []string{"a", "n", "low", "high"}, Rows: [][]cell{row("a", "1", "NULL", "2"), row("b", "1", "0", "2")}},
		"one row":     {Columns: []string{"a", "n", "low", "high"}, Rows: [][]cell{row("a", "1", "0", "2")}},
		"crossed":     {Columns: []string{"a", "n", "low", "high"}, Rows: [][]cell{row("a", "1", "3", "2"), row("b", "1", "0", "2")}},
	} {
		if newIntervals(none) != nil {
			t.Errorf("%s: drawn", name)
		}
	}
}
