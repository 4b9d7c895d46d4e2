package catalog

import (
	"context"
	dbsql "database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
)

// Pending is the input of a refresh: a release that follows its table and the rows that changed since, all from one snapshot.
type Pending struct {
	Record  *ReleaseRecord
	Release *anonymize.Release
	Live    *anonymize.Live
	History []byte
	// Rewritten says that Live and History have other record keys than the stored ones, because rows were rewritten.
	Rewritten bool
	// Key identifies records of a table that another server keeps; nil for others.
	Key *source.Key
	// Digests are those of such a table's columns, as they were read.
	Digests map[string]string
	// Beside has such a table's rows with the columns that ReadAgain was asked for beside, as they were read.
	Beside *anonymize.Microdata
	// Changed has the touched rows in their current state, with the names, types and spellings of the Live.
	Changed *anonymize.Changed
	touched *raw.Touched // the same; nil for a table that another server keeps
	// Domains are the owner's declarations, by the columns' names in the Live.
	Domains map[string]*anonymize.Domain
	// NamesNow maps the columns' names when the following began to their names in the snapshot.
	NamesNow func(names []string) []string
	// SourceVersion is the table's version in the snapshot.
	SourceVersion int64
	// forgets is how often changes were forgotten before the snapshot.
	forgets int64
}

// Changes reads the input of a refresh of the named release in a new snapshot, without the session's uncommitted changes. ReadAgain reads the
// changes of a table that another server keeps. Accounts that may not read the raw table are refused; a context without a session is the
// server's own work.
func (r *Releases) Changes(ctx *sql.Context, name string) (*Pending, error) {
	checked, err := r.checkRefresh(ctx, name)
	if err != nil {
		return nil, err
	}
	var pending *Pending
	before := r.forgetsOf(name).Load()
	err = r.catalog.Snapshot(ctx, func(w *raw.Work) (err error) {
		pending, err = r.readPending(ctx, w, name, before)
		return err
	})
	if err == nil && checked != nil && pending.Record.ID != checked.record.ID {
		err = pending.errOtherVersion()
	}
	return pending, err
}

func (r *Releases) readPending(ctx *sql.Context, w *raw.Work, name string, forgets int64) (*Pending, error) {
	record, err := readRecord(ctx, w.Conn(), name)
	if err != nil {
		return nil, err
	}
	if record.Imported {
		return nil, errImported(record, "it cannot be refreshed: CALL import_release with replace=true imports a newer one")
	}
	if !record.Follows() {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("release %s does not follow its table: %s", record.Name, replaceRelease+source.OfSealed(record.Database, source.ThenSealed))}
	}
	l, err := record.lineage(w.Conn())
	if err != nil {
		return nil, err
	}
	pending := &Pending{Record: record, forgets: forgets}
	private, err := readLive(ctx, w.Conn(), record.ID)
	if err != nil {
		return nil, fault.Explained("read release "+record.Name, fmt.Errorf("release %s: %w", record.Name, err))
	}
	pending.Live, pending.History, pending.Key = private.live, private.history, private.key
	if problem := record.disagrees(pending.Live); problem != "" {
		return nil, fault.Explained("read release "+record.Name, fmt.Errorf("%w: release %s: %s", fault.ErrDamaged, record.Name, problem))
	}
	if pending.Release, err = r.releaseIn(ctx, w, record); err != nil {
		return nil, err
	}
	if pending.IsMirrored() {
		pending.NamesNow = func(names []string) []string { return names } // until ReadAgain
		return pending, nil
	}
	return pending, pending.readChanged(ctx, w, l)
}

// readChanged reads the touched rows, and what the owner says of their columns.
func (p *Pending) readChanged(ctx context.Context, w *raw.Work, l raw.Lineage) (err error) {
	t := w.TableByID(l.Table)
	if t == nil {
		return p.errTableGone()
	}
	p.SourceVersion = t.Version()
	if p.touched, err = w.Touched(ctx, l, t, p.Live.Columns); err != nil {
		return err
	}
	p.Changed = &p.touched.Changed
	return p.readDomains(w.Conn(), t, l)
}

// replaceRelease describes the way out for a release that cannot be refreshed, and its price.
const replaceRelease = "a new release in its place (CALL anonymize with replace=true) can tell persons' values to readers who kept this one: dry_run=true says of how many, if attacks are measured"

// lineage returns the lineage of a release. It fails if the table was dropped.
func (r *ReleaseRecord) lineage(tx *dbsql.Conn) (raw.Lineage, error) {
	l, ended, err := raw.LineageByID(tx, r.Live.Lineage)
	if err == nil && ended != "" {
		if l.Table != 0 { // it was not dropped
			ended += ". But " + replaceRelease + source.ThenSealed
		}
		err = &anonymize.DataError{Reason: fmt.Sprintf("release %s does not follow its table any more: %s", r.Name, ended)}
	}
	return l, err
}

// checkRefresh refuses sessions that may not read the raw table. It returns the release that it checked, nil without a session.
func (r *Releases) checkRefresh(ctx *sql.Context, name string) (*Published, error) {
	if !raw.HasSession(ctx) {
		return nil, nil
	}
	p, err := r.Find(ctx, name)
	if err != nil || r.mayReadSource(ctx, p.record) {
		return p, err
	}
	client := ctx.Session.Client()
	return nil, mysql.NewSQLError(tableAccessDenied, "42000",
		"SELECT command denied to user '%s'@'%s' for the table behind published.%s, which a refresh reads", client.User, client.Address, p.record.Name)
}

// readRecord returns the description of one release.
func readRecord(ctx context.Context, tx *dbsql.Conn, name string) (*ReleaseRecord, error) {
	record, text := &ReleaseRecord{}, ""
	err := tx.QueryRowContext(ctx, `SELECT id, record FROM releases WHERE name = ?`, name).Scan(&record.ID, &text)
	if errors.Is(err, dbsql.ErrNoRows) {
		return nil, errNoRelease(name)
	}
	if err != nil {
		return nil, fault.Cannot("read release "+name, err)
	}
	if err := json.Unmarshal([]byte(text), record); err != nil {
		return nil, fault.Cannot("read release "+name, fault.Damaged("its description", err))
	}
	return record, nil
}

// releaseIn returns the fragments of a release: from memory if they are there, else from the snapshot.
func (r *Releases) releaseIn(ctx *sql.Context, w *raw.Work, record *ReleaseRecord) (*anonymize.Release, error) {
	for _, p := range r.current.Load().releases {
		if p.record.ID == record.ID {
			return p.Release(ctx)
		}
	}
	return readRelease(ctx, w.Conn(), record)
}

// readDomains reads the owner's declarations about the released columns, under their current names
// (NamesNow). Orders and taxonomies cover the values of the release and of the touched rows.
func (p *Pending) readDomains(tx *dbsql.Conn, t *raw.TableVersion, l raw.Lineage) error {
	p.Domains = make(map[string]*anonymize.Domain)
	p.NamesNow = func(names []string) []string { return l.NamesNow(t, names) }
	for i, c := range p.Live.Columns {
		now, err := l.ColumnNow(t, c)
		if err != nil {
			return err
		}
		if i < p.Live.UnitColumns {
			continue
		}
		both := &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: united(c.Dictionary, p.Changed.Columns[i].Dictionary)}
		d, err := attributes.DomainOf(tx, t, now, both)
		if err != nil {
			return err
		}
		if d != nil {
			p.Domains[c.Name] = d
		}
	}
	return nil
}

// united returns the values of two dictionaries, ascending.
func united(a, b []anonymize.Value) []anonymize.Value {
	values := append(slices.Clone(a), b...)
	slices.SortFunc(values, anonymize.Compare)
	return slices.CompactFunc(values, func(x, y anonymize.Value) bool { return anonymize.Compare(x, y) == 0 })
}
