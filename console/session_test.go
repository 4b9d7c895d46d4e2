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

// A running file load ends with its session, whose connections stay until the loaded table is dropped.
func TestSessionsEndWhileTheyLoad(t *testing.T) {
	all := newSessions(nil, nil)
	s := newSession(t, all, "a")
	s.db = sql.OpenDB(&privilegedServer{})
	first, endFirst := s.beginLoading(t.Context())
	_, endSecond := s.beginLoading(t.Context())
	s.close()
	select {
	case <-first.Done():
	case <-time.After(time.Minute):
		t.Error("the file is loaded after its session")
	}
	for _, end := range []func(){endFirst, endSecond} {
		if err := s.db.Ping(); err != nil {
			t.Errorf("nothing can be dropped: %v", err)
		}
		end()
	}
	if s.db.Ping() == nil {
		t.Error("the connections outlive the session")
	}
}

// A ninth session of an account ends its oldest idle one; beyond a hundred sessions no other account can begin one.
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

// Accounts of one name for several hosts have sessions of their own.
func TestSessionsAreOfAccounts(t *testing.T) {
	all := newSessions(nil, nil)
	near := newSession(t, all, "a")
	near.who = "a@10.%"
	near.began = near.began.Add(-time.Minute)
	if err := all.add(near); err != nil {
		t.Fatal(err)
	}
	for range maxPerAccount {
		if err := all.add(newSession(t, all, "a")); err != nil {
			t.Fatal(err)
		}
	}
	if all.byID[near.id] == nil {
		t.Error("another account of the same name has ended a session")
	}
}

// A session keeps the five works that ended last. A work that runs is kept, and its answer when it ends.
func TestEndedWorksAreForgotten(t *testing.T) {
	s := newSession(t, newSessions(nil, nil), "a")
	made := func() *work {
		w := &work{done: make(chan struct{}), answers: []*answer{{}}}
		s.works = append(s.works, w)
		return w
	}
	long := made()
	for range keptWorks + 1 {
		s.settle(made())
	}
	if len(s.works) != keptWorks+1 || s.works[0] != long {
		t.Errorf("%d works are kept beside one that runs", len(s.works)-1)
	}
	if s.settle(long); len(s.works) != keptWorks || s.works[keptWorks-1] != long {
		t.Errorf("%d ended works are kept", len(s.works))
	}
}
