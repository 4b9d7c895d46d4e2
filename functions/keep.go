package functions

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/leftovers"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
)

// storeUpstream is the prefix of the value in store=upstream:database.
const storeUpstream = "upstream:"

// readStore reads store: where else the relations of the release are kept.
func (p *publication) readStore(ctx *sql.Context, given anonymize.Settings) error {
	store, ok := options.Store.Given(given)
	if !ok {
		return nil
	}
	database, upstream := strings.CutPrefix(store, storeUpstream)
	database = strings.Trim(database, "`")
	refused := func(rule string) error {
		return &anonymize.ParameterError{Parameter: "store", Value: "'" + store + "'", Rule: rule}
	}
	home, ok := source.HomeOf(ctx).(source.Keeper)
	switch {
	case !upstream || database == "":
		return refused("must be upstream:database, or engine for a table of an engine")
	case !ok:
		return refused("but this connection leads to no upstream server: connect to --owners-listen")
	case p.updates != options.NoUpdates:
		return refused("but the tables of a release that follows its table would be of its first version: say updates=none")
	case p.Record.Private:
		return refused("but private=true, and whoever may read " + database + " upstream could read it")
	}
	var mark [8]byte
	if _, err := rand.Read(mark[:]); err != nil {
		return err
	}
	p.home, p.Record.Kept = home, &source.Kept{Database: database, Mark: hex.EncodeToString(mark[:])}
	return nil
}

// keepElsewhere makes tables upstream of the release's relations, under temporary names.
func (p *publication) keepElsewhere(ctx *sql.Context) (err error) {
	if p.home == nil {
		return nil
	}
	if p.relations, err = catalog.RelationsOf(p.Record.Name, p.release); err != nil {
		return err
	}
	if p.dryRun {
		return p.refuse(p.home.Admit(ctx, *p.Record.Kept, p.keptNames()))
	}
	p.environment.dropLeftovers(ctx, p.home)
	entry := leftovers.Entry{Kept: *p.Record.Kept, Server: p.home.Upstream(), Account: catalog.AccountOf(ctx).User, Tables: p.keptNames()}
	if err := p.environment.Leftovers.Begin(ctx, entry); err != nil {
		return err
	}
	return p.home.Keep(ctx, *p.Record.Kept, p.table, p.relations)
}

// keptNames are the names of the tables upstream.
func (p *publication) keptNames() []string {
	names := make([]string, len(p.relations))
	for i, r := range p.relations {
		names[i] = r.Name
	}
	return names
}

// endKeeping marks the end of the publication, after which its remains upstream are leftovers.
func (p *publication) endKeeping() {
	if p.home != nil {
		p.environment.Leftovers.End(p.Record.Kept.Mark)
	}
}

// dropLeftovers drops tables upstream whose publication or dropping was interrupted: tables that this data directory has made, and that belong to no release.
// Another owner's statement will try those for which this owner lacks privileges. An error becomes a warning, since the statement has work of its own.
func (e *Environment) dropLeftovers(ctx *sql.Context, home source.Keeper) {
	entries, err := e.Leftovers.ForServer(home.Upstream())
	warnOfKept(ctx, err)
	for _, entry := range entries {
		if e.Releases.HasMark(entry.Mark) {
			continue
		}
		dropped, err := home.Recover(ctx, entry.Kept, entry.Tables, entry.Back)
		if len(dropped) > 0 {
			ctx.Session.Warn(&sql.Warning{Level: "Note", Code: mysql.ERUnknownError, Message: "dropped on the upstream server: tables that a publication had left: " +
				strings.Join(dropped, ", ")})
		}
		// The account that made them sees them if they exist.
		if err == nil && (len(dropped) > 0 || entry.Account == catalog.AccountOf(ctx).User) {
			err = e.Leftovers.Forget(ctx, entry.Mark)
		}
		warnOfKept(ctx, err)
	}
}

// publishKept gives the tables upstream their names, then publishes the release. If that fails, it drops them.
func (p *publication) publishKept(ctx *sql.Context) (stored *catalog.ReleaseRecord, err error) {
	if err = p.admission.Check(ctx); err != nil {
		return nil, errors.Join(err, p.discardKept(ctx))
	}
	var old []source.Kept
	names := make(map[string][]string) // by mark
	for _, r := range p.admission.Replaced {
		if record := p.environment.Releases.RecordFor(ctx, r); record.Kept != nil {
			old = append(old, *record.Kept)
			names[record.Kept.Mark] = record.RelationNames()
		}
	}
	undo := func(*sql.Context) error { return nil }
	if p.home != nil {
		note := func(back []source.Move) error { return p.environment.Leftovers.Renames(ctx, p.Record.Kept.Mark, back) }
		if undo, err = p.home.Rename(ctx, *p.Record.Kept, p.relations, old, note); err != nil {
			return nil, err
		}
	}
	if stored, err = p.environment.Releases.Publish(ctx, p.admission); err != nil {
		return nil, errors.Join(err, undo(ctx.WithContext(context.WithoutCancel(ctx))), p.discardKept(ctx))
	}
	for _, k := range old {
		warnOfKept(ctx, p.environment.discard(ctx, &k, names[k.Mark]))
	}
	return stored, nil
}

// discardKept drops the tables of an unpublished release.
func (p *publication) discardKept(ctx *sql.Context) error {
	if p.home == nil {
		return nil
	}
	return p.home.Discard(ctx.WithContext(context.WithoutCancel(ctx)), *p.Record.Kept, p.keptNames())
}

// discard drops the tables upstream of a release.
func (e *Environment) discard(ctx *sql.Context, k *source.Kept, names []string) error {
	home, ok := source.HomeOf(ctx).(source.Keeper)
	if !ok {
		return fmt.Errorf("tables of the release are left on the upstream server: those of the database %s with the comment 'anonsql %s'", k.Database, k.Mark)
	}
	if err := home.Discard(ctx, *k, names); err != nil {
		return err
	}
	return e.Leftovers.Forget(ctx, k.Mark)
}

// warnOfKept warns of remaining tables.
func warnOfKept(ctx *sql.Context, err error) {
	if err != nil {
		ctx.Warn(mysql.ERUnknownError, "%s", err.Error())
	}
}
