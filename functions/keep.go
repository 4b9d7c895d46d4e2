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
	"github.com/anonsql/anonsql/catalog/source"
)

// storeUpstream begins the value of store=upstream:database.
const storeUpstream = "upstream:"

// takeStore reads store: where the relations of the release are kept besides.
func (p *publication) takeStore(ctx *sql.Context, given options) error {
	store, ok := given.take("store")
	if !ok {
		return nil
	}
	database, upstream := strings.CutPrefix(store, storeUpstream)
	database = strings.Trim(database, "`")
	refused := func(rule string) error {
		return &anonymize.ParameterError{Parameter: "store", Value: "'" + store + "'", Rule: rule}
	}
	home, ok := source.Of(ctx).(source.Keeper)
	switch {
	case !upstream || database == "":
		return refused("must be upstream:database, or engine for a table of an engine")
	case !ok:
		return refused("but this connection leads to no upstream server: connect to --owners-listen")
	case p.follows():
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
	if p.home == nil || p.dryRun {
		return nil
	}
	if p.relations, err = catalog.RelationsOf(p.Record.Name, p.release); err != nil {
		return err
	}
	return p.home.Keep(ctx, *p.Record.Kept, p.table, p.relations)
}

// publishKept publishes the release, whose tables upstream get their names first. When it is not published after all they go.
func (p *publication) publishKept(ctx *sql.Context) (*catalog.ReleaseRecord, error) {
	replaced, err := p.environment.Releases.Admit(ctx, &p.Publication)
	if err != nil {
		return nil, errors.Join(err, p.discardKept(ctx))
	}
	var old []source.Kept
	for _, r := range replaced {
		if k := p.environment.Releases.RecordFor(ctx, r).Kept; k != nil {
			old = append(old, *k)
		}
	}
	undo := func(*sql.Context) error { return nil }
	if p.home != nil {
		if undo, err = p.home.Rename(ctx, *p.Record.Kept, p.relations, old); err != nil {
			return nil, err
		}
	}
	stored, err := p.environment.Releases.Publish(ctx, &p.Publication)
	if err != nil {
		return nil, errors.Join(err, undo(ctx.WithContext(context.WithoutCancel(ctx))), p.discardKept(ctx))
	}
	for _, k := range old {
		warnOfKept(ctx, discard(ctx, &k))
	}
	return stored, nil
}

// discardKept drops the tables of a release that is not published.
func (p *publication) discardKept(ctx *sql.Context) error {
	if p.home == nil {
		return nil
	}
	return p.home.Discard(ctx.WithContext(context.WithoutCancel(ctx)), *p.Record.Kept)
}

// discard drops the tables upstream of a release.
func discard(ctx *sql.Context, k *source.Kept) error {
	home, ok := source.Of(ctx).(source.Keeper)
	if !ok {
		return fmt.Errorf("tables of the release are left on the upstream server: those of the database %s with the comment 'anonsql %s'", k.Database, k.Mark)
	}
	return home.Discard(ctx, *k)
}

// warnOfKept says that tables are left.
func warnOfKept(ctx *sql.Context, err error) {
	if err != nil {
		ctx.Warn(mysql.ERUnknownError, "%s", err.Error())
	}
}
