// Package leftovers remembers which tables this data directory has made on an owner's server (store=upstream), from before they are made until they
// are known to be gone: what a kill -9 leaves there is found again by it.
//
//  1. An entry is on the disk before its tables are made. Its mark, 64 random bits, is in their comments: tables that have no mark of an
//     entry are somebody else's, another anonsql's or a person's.
//  2. An entry whose release is in the catalog, or whose publication is under way, is no leftover. Whoever asks looks at the former.
//  3. A backup has no entries (Setting): what is restored from it drops nothing of the original's.
//
// It says what may be dropped, and drops nothing.
package leftovers

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/anonsql/anonsql/catalog/source"
)

// Setting is the setting that has the entries.
const Setting = "upstream_tables"

// An Entry is the tables of one publication.
type Entry struct {
	source.Kept
	// Server is where they are (source.Keeper), and Account who made them.
	Server, Account string
	// Tables are their names once they are published; before, they have temporary ones.
	Tables []string
	// Back is how the RENAME that gives them their names is undone.
	Back []source.Move
}

// Settings are where entries are kept.
type Settings interface {
	Setting(name string) ([]byte, error)
	SetSetting(ctx context.Context, name string, value []byte) error
}

// A List is the entries of a data directory. It is safe for concurrent use.
type List struct {
	settings Settings
	mu       sync.Mutex
	underWay map[string]bool // by mark
}

// ListIn is the list in the settings.
func ListIn(settings Settings) *List {
	return &List{settings: settings, underWay: make(map[string]bool)}
}

// Begin adds the entry of a publication, which is under way until End.
func (l *List) Begin(ctx context.Context, e Entry) error {
	return l.change(ctx, func(all []Entry) []Entry {
		l.underWay[e.Mark] = true
		return append(all, e)
	})
}

// End says that a publication has ended, whichever way.
func (l *List) End(mark string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.underWay, mark)
}

// Renames notes how the RENAME of a publication is undone, before it is done.
func (l *List) Renames(ctx context.Context, mark string, back []source.Move) error {
	return l.change(ctx, func(all []Entry) []Entry {
		for i := range all {
			if all[i].Mark == mark {
				all[i].Back = back
			}
		}
		return all
	})
}

// Forget takes an entry away, whose tables are gone.
func (l *List) Forget(ctx context.Context, mark string) error {
	return l.change(ctx, func(all []Entry) []Entry {
		return slices.DeleteFunc(all, func(e Entry) bool { return e.Mark == mark })
	})
}

// ForServer are the entries of a server whose publications are not under way.
func (l *List) ForServer(server string) ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, err := l.read()
	return slices.DeleteFunc(all, func(e Entry) bool { return e.Server != server || l.underWay[e.Mark] }), err
}

func (l *List) read() (all []Entry, err error) {
	text, err := l.settings.Setting(Setting)
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &all)
	}
	return all, err
}

func (l *List) change(ctx context.Context, to func([]Entry) []Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, err := l.read()
	if err != nil {
		return err
	}
	text, err := json.Marshal(to(all))
	if err != nil {
		return err
	}
	return l.settings.SetSetting(ctx, Setting, text)
}
