package functions

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/dynamic"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
)

// follower is the method whose releases follow their table by default.
const follower = "drasl"

// A following has the options for changes of the table.
type following struct {
	updates string
	auto    int // refresh after so many changes; 0 when asked only
}

// readFollowing reads updates and auto_refresh.
func (p *publication) readFollowing(given anonymize.Settings) (f following, err error) {
	method := p.Record.Method
	refused := func(p interface{ Name() string }, value, rule string) (following, error) {
		return following{}, &anonymize.ParameterError{Parameter: p.Name(), Value: "'" + value + "'", Rule: rule}
	}
	updates, said := options.Updates.Given(given)
	if f.updates = options.Updates.Read(given); !said {
		if f.updates = options.NoUpdates; method == follower {
			f.updates = options.Sealed
		}
	}
	if f.updates != options.NoUpdates {
		switch obstacle := dynamic.Obstacle(method); {
		case obstacle != "":
			return refused(options.Updates, updates, "but "+method+" "+obstacle+": say updates="+options.NoUpdates)
		case f.updates == options.Paper && !slices.Contains(dynamic.PrintedMethods, method):
			return refused(options.Updates, updates, "but the paper's updates are of "+strings.Join(dynamic.PrintedMethods, " and ")+": say updates="+options.Sealed)
		case f.updates == options.Paper && !p.Record.Private:
			return refused(options.Updates, updates, "which is for comparing, with private=true: whoever has two versions that were updated as printed knows "+
				"the sensitive value of most persons who were inserted in between. updates=sealed can be public")
		case said && len(p.roles.Sensitive) != 1:
			return refused(options.Updates, updates, fmt.Sprintf("which needs one sensitive attribute, by whose values versions are compared; %d are given: "+
				"name one with sa=, or say updates=%s", len(p.roles.Sensitive), options.NoUpdates))
		}
	}
	if changes, said := options.AutoRefresh.Given(given); said && f.updates == options.NoUpdates {
		return refused(options.AutoRefresh, changes, "needs a release that follows its table: updates=sealed")
	}
	f.auto = options.AutoRefresh.Read(given)
	return f, nil
}

// follows reports whether the release will follow its table, or would without dry_run.
func (p *publication) follows() bool { return p.updates != options.NoUpdates }

// startFollow begins to record the changes of the table, before it is read, if the release will follow it. It restarts the session's snapshot.
func (p *publication) startFollow(ctx *sql.Context) (err error) {
	if !p.follows() {
		return nil
	}
	p.unitReading.follows = true
	columns := distinct(slices.Concat(p.unit.columns, p.roles.QuasiIdentifiers, p.roles.Sensitive))
	if err := p.refuse(p.canFollow(ctx, columns)); err != nil || p.dryRun {
		p.Key = nil
		return err
	}
	kept, err := p.environment.Catalog.TableByID(ctx, p.table.ID())
	if err != nil {
		return err
	}
	if p.Record.Live.Lineage, err = p.environment.Releases.Follow(ctx, kept, columns); err != nil {
		return err
	}
	p.wantsKeys, p.key = true, p.Key
	if p.table, err = p.environment.Catalog.RawTable(ctx, p.table.Database(), p.table.Name()); err == nil && p.table.ID() != kept.ID() {
		err = mysql.NewSQLError(raw.TableChanged, "HY000", "Table %s.%s is another one than when the statement began: "+
			"it was renamed, or dropped and made anew. Nothing is published: call anonymize again", p.table.Database(), p.table.Name())
	}
	return err
}

// canFollow checks whether and how changes of the table can be noticed.
func (p *publication) canFollow(ctx *sql.Context, columns []string) error {
	keyed, hasKeys := p.table.(source.Keyed)
	switch {
	case hasKeys:
		return p.takeKey(ctx, keyed, columns)
	case !source.Counted(p.table):
		return &anonymize.ParameterError{Parameter: "updates", Value: "'" + p.updates + "'",
			Rule: "but the engine that keeps the table does not say which of its rows change: say updates=none"}
	}
	return nil
}

// keySecret is the length of the secret for hashing the keys of records, in bytes.
const keySecret = 32

// takeKey finds the primary key that identifies the records of a table on another server, whose changes are not recorded here.
func (p *publication) takeKey(ctx *sql.Context, table source.Keyed, columns []string) (err error) {
	if p.auto > 0 {
		return &anonymize.ParameterError{Parameter: "auto_refresh", Value: fmt.Sprint(p.auto),
			Rule: "but the server that keeps " + p.table.Database() + "." + p.table.Name() + " does not say when it changes: CALL refresh_release when it has"}
	}
	if p.Key, err = table.PrimaryKey(ctx, columns); err != nil {
		return err
	}
	p.Key.Secret = make([]byte, keySecret)
	_, err = rand.Read(p.Key.Secret)
	return err
}

// stopFollowing ends the recording of changes after a publication that failed or panicked.
func (p *publication) stopFollowing(ctx *sql.Context, failed error) error {
	if failed == nil && p.stored != nil || p.Record.Live == nil || p.Record.Live.Lineage == 0 {
		return failed
	}
	return errors.Join(failed, p.environment.Releases.Unfollow(ctx, p.Record.Live.Lineage))
}

// makeLive keeps the link from records to groups, which updates need.
func (p *publication) makeLive(*sql.Context) (err error) {
	if !p.follows() {
		return nil
	}
	if err := dynamic.CanFollow(p.release, p.roles.Sensitive[0]); err != nil || p.dryRun {
		return err
	}
	p.Record.Live.K = dynamic.GroupSize(p.release.Promises)
	of, groupOf := *p.all, p.gidOf
	of.QuasiIdentifiers = nil
	for _, c := range p.all.QuasiIdentifiers {
		of.QuasiIdentifiers = append(of.QuasiIdentifiers, p.asReleased(c))
	}
	if p.published != nil { // omitted records wait
		groupOf = slices.Repeat([]uint32{anonymize.Waiting}, of.Rows)
		for i, record := range p.published {
			groupOf[record] = p.gidOf[i]
		}
	}
	p.Live, err = dynamic.Start(&of, groupOf, p.keys, p.named...)
	return err
}
