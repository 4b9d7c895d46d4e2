package leftovers

import (
	"context"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/catalog/source"
)

// settings are kept in memory.
type settings map[string][]byte

func (s settings) Setting(name string) ([]byte, error) { return s[name], nil }

func (s settings) ChangeSetting(_ context.Context, name string, change func() ([]byte, error)) (err error) {
	s[name], err = change()
	return err
}

// busy settings let others work before they are changed.
type busy struct {
	settings
	others func()
}

func (b busy) ChangeSetting(ctx context.Context, name string, change func() ([]byte, error)) error {
	b.others()
	return b.settings.ChangeSetting(ctx, name, change)
}

// Who waits for the settings' writer makes nobody else wait, and loses nothing that others change meanwhile.
func TestWaitingForTheWriter(t *testing.T) {
	kept := settings{}
	other, waits := ListIn(kept), 0
	l := ListIn(nil)
	l.settings = busy{kept, func() {
		waits++
		if !l.mu.TryLock() {
			t.Fatal("the list is locked while a change waits")
		}
		l.mu.Unlock()
		l.End("c")
		if err := other.Begin(t.Context(), Entry{Kept: source.Kept{Mark: "b"}, Server: "db:3306"}); err != nil || len(marks(t, l, "db:3306")) != waits {
			t.Error(err)
		}
	}}
	if err := l.Begin(t.Context(), Entry{Kept: source.Kept{Mark: "a"}, Server: "db:3306"}); err != nil {
		t.Fatal(err)
	}
	if got := marks(t, ListIn(kept), "db:3306"); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("the entries are %q", got)
	}
}

// marks returns the marks of a server's entries.
func marks(t *testing.T, l *List, server string) (found []string) {
	t.Helper()
	entries, err := l.ForServer(server)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		found = append(found, e.Mark)
	}
	return found
}

// An entry is a leftover when its publication has ended, by itself or with its process, until it is forgotten.
func TestEntries(t *testing.T) {
	kept, ctx := settings{}, t.Context()
	l := ListIn(kept)
	for _, e := range []Entry{{Kept: source.Kept{Database: "shown", Mark: "a"}, Server: "db:3306"}, {Kept: source.Kept{Database: "shown", Mark: "b"}, Server: "db:3306"},
		{Kept: source.Kept{Database: "shown", Mark: "c"}, Server: "other:3306"}} {
		if err := l.Begin(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	if got := marks(t, l, "db:3306"); len(got) != 0 {
		t.Errorf("while publications are under way %q are left", got)
	}
	l.End("a")
	if got := marks(t, l, "db:3306"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("after the end of a %q are left", got)
	}
	back := []source.Move{{From: "`shown`.`visits`", To: "`shown`.`anonsql_b_0`"}}
	if err := l.Renames(ctx, "b", back); err != nil {
		t.Fatal(err)
	}
	again := ListIn(kept) // the process was killed
	if got := marks(t, again, "db:3306"); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("after a kill %q are left", got)
	}
	if entries, err := again.ForServer("db:3306"); err != nil || !slices.Equal(entries[1].Back, back) || entries[1].Database != "shown" {
		t.Errorf("the entries are %+v, %v", entries, err)
	}
	if err := again.Forget(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if got := marks(t, again, "db:3306"); !slices.Equal(got, []string{"b"}) || len(marks(t, again, "other:3306")) != 1 {
		t.Errorf("after a was forgotten %q are left", got)
	}
}
