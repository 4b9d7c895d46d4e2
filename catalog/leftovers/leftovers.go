// Package leftovers records the tables that this data directory creates on an owner's server (store=upstream), from
// before their creation until they are known to be gone. So a later process finds what a kill -9 left there.
//
//  1. An entry is on disk before its tables exist. Its mark, 64 random bits, is in their comments: tables without the mark of an entry
//     belong to another anonsql or to a person.
//  2. An entry is no leftover while its publication is in progress or its release is in the catalog. Callers check the catalog.
//  3. A backup has no entries (Setting): a restored copy drops no table of the original.
//
// The package says what may be dropped. It drops nothing itself.
package leftovers

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/anonsql/anonsql/catalog/source"
)

// Setting is the name of the setting that has the entries.
const Setting = "upstream_tables"

// An Entry has the tables of one publication.
type Entry struct {
	source.Kept
	// Server has the tables (source.Keeper); Account created them.
	Server, Account string
	// Tables are their published names; until then they have temporary ones.
	Tables []string
	// Back undoes the RENAME that publishes them.
	Back []source.Move
}

// Settings stores the entries.
type Settings interface {
	Setting(name string) ([]byte, error)
	// ChangeSetting stores the result of change while nobody else changes a setting, for which it may wait.
	ChangeSetting(ctx context.Context, name string, change func() ([]byte, error)) error
}

// A List has the entries of a data directory. It is safe for concurrent use.
type List struct {
	settings Settings
	mu       sync.Mutex      // nobody waits for the settings' writer with it
	underWay map[string]bool // by mark
}

// ListIn returns the list in the settings.
func ListIn(settings Settings) *List {
	return &List{settings: settings, underWay: make(map[string]bool)}
}

// Begin adds the entry of a publication that is in progress until End.
func (l *List) Begin(ctx context.Context, e Entry) error {
	l.mu.Lock()
	l.underWay[e.Mark] = true
	l.mu.Unlock()
	return l.change(ctx, func(all []Entry) []Entry { return append(all, e) })
}

// End marks a publication as ended, successfully or not.
func (l *List) End(mark string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.underWay, mark)
}

// Renames records, before the RENAME of a publication, how to undo it.
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

// Forget removes an entry whose tables are gone.
func (l *List) Forget(ctx context.Context, mark string) error {
	return l.change(ctx, func(all []Entry) []Entry {
		return slices.DeleteFunc(all, func(e Entry) bool { return e.Mark == mark })
	})
}

// ForServer returns the entries of a server whose publications are not in progress.
func (l *List) ForServer(server string) ([]Entry, error) {
	all, err := l.read() // first: the mark of an entry is under way before the entry is there
	l.mu.Lock()
	defer l.mu.Unlock()
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
	return l.settings.ChangeSetting(ctx, Setting, func() ([]byte, error) {
		all, err := l.read()
		if err != nil {
			return nil, err
		}
		return json.Marshal(to(all))
	})
}
