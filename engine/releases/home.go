package releases

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/publication"
	"github.com/anonsql/anonsql/engine/tables"
)

// A Home has raw tables and publishes them in the engine.
type Home struct {
	*tables.Home
	// Kept stores the relations.
	Kept *Store
	// Trouble returns the error of the last attempt to reach the engine (engine.Client).
	Trouble func() error
}

var _ source.Distributed = (*Home)(nil)

// Relations implements source.Distributed.
func (h *Home) Relations() source.RelationStore { return h.Kept }

// Reached implements source.Distributed.
func (h *Home) Reached() (address string, trouble error) { return h.Address, h.Trouble() }

// Reach implements source.Distributed.
func (h *Home) Reach(ctx context.Context) error {
	return h.Asker.Query(ctx, "SELECT 1", func([]any) error { return nil })
}

// Table implements source.Source. The schemas of releases have no raw tables.
func (h *Home) Table(ctx *sql.Context, database, name string) (source.Table, error) {
	if schema, ok := h.Schema(database); ok {
		if err := h.refuseOwn(schema); err != nil {
			return nil, err
		}
	}
	return h.Home.Table(ctx, database, name)
}

// TableByID implements source.Source.
func (h *Home) TableByID(ctx *sql.Context, id int64) (source.Table, error) {
	t, err := h.Home.TableByID(ctx, id)
	if err != nil {
		return nil, err
	}
	schema, _ := h.Schema(t.Database())
	if err := h.refuseOwn(schema); err != nil {
		return nil, err
	}
	return t, nil
}

// refuseOwn refuses a schema of releases, which has no raw tables.
func (h *Home) refuseOwn(schema string) error {
	if schema == h.Kept.private || schema == h.Kept.schema {
		return &anonymize.DataError{Reason: fmt.Sprintf("schema %s of the engine is anonsql's own, for releases: it has no raw tables", schema)}
	}
	return nil
}

// ExceedsLimit implements source.Publisher.
func (h *Home) ExceedsLimit(ctx *sql.Context, of source.Table) (rows int, beyond bool, err error) {
	t, err := ofEngine(of)
	if err != nil {
		return 0, false, err
	}
	rows, err = t.Rows(ctx)
	return rows, rows > h.MaxRows(), err
}

func ofEngine(of source.Table) (*tables.Table, error) {
	t, ok := of.(*tables.Table)
	if !ok {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("table %s.%s is not in the engine", of.Database(), of.Name())}
	}
	return t, nil
}

// Plan implements source.Publisher.
func (h *Home) Plan(ctx *sql.Context, of source.Table, w source.Wanted) (source.Attempt, error) {
	t, err := ofEngine(of)
	if err != nil {
		return nil, err
	}
	r, err := request(t, &w)
	if err != nil {
		return nil, err
	}
	name, err := h.Kept.begin()
	if err != nil {
		return nil, err
	}
	a := &attempt{store: h.Kept, table: t, name: name, asked: w.Asked}
	defer func() {
		if a.plan == nil { // also after a panic
			a.Done()
		}
	}()
	if a.plan, err = h.Kept.engine().NewPlan(ctx, *r); err != nil {
		return nil, err
	}
	return a, nil
}

// request translates w for package publication.
func request(t *tables.Table, w *source.Wanted) (*publication.Request, error) {
	m, err := methodFor(w)
	if err != nil {
		return nil, err
	}
	switch {
	case len(w.Sensitive) != 1:
		return nil, &anonymize.ParameterError{Parameter: "sa", Value: "'" + strings.Join(w.Sensitive, ",") + "'", Rule: "must be one column in the engine"}
	case w.Parameters["homogeneous"] == "score":
		return nil, &anonymize.ParameterError{Parameter: "homogeneous", Value: "'score'", Rule: "which the engine does not form groups by: say homogeneous=true, or leave it out"}
	case len(w.QuasiIdentifiers) == 0:
		return nil, &anonymize.ParameterError{Parameter: "qi", Value: "''", Rule: "must name a column at least"}
	}
	r := &publication.Request{Method: m.name, Table: &publication.Table{Schema: t.EngineSchema(), Name: t.Name()}}
	take := func(name string, released bool) (string, error) {
		column, declared, err := t.Declared(name)
		if err != nil {
			return "", err
		}
		if kind, _, _ := strings.Cut(declared, "("); released && (kind == "char" || kind == "uuid") {
			return "", &anonymize.DataError{
				Reason: fmt.Sprintf(
					"column %s of %s is %s, which is not published in the engine: make a view that casts it to VARCHAR, without spaces at its end",
					column,
					t,
					declared,
				),
			}
		}
		r.Table.Columns = append(r.Table.Columns, publication.Column{Name: column, Type: declared})
		return column, nil
	}
	for _, name := range w.QuasiIdentifiers {
		column, err := take(name, true)
		if err != nil {
			return nil, err
		}
		r.QuasiIdentifiers = append(r.QuasiIdentifiers, column)
	}
	if r.Sensitive, err = take(w.Sensitive[0], true); err != nil {
		return nil, err
	}
	for _, name := range w.Identifiers {
		if column, err := take(name, false); err == nil { // a column that cannot be read distinguishes no records
			r.Identifiers = append(r.Identifiers, column)
		}
	}
	return r, m.write(w, r)
}

// newName returns an unguessable, unique name of a data directory's attempt.
func newName(identity string) (string, error) {
	var fresh [8]byte
	_, err := rand.Read(fresh[:])
	return identity + hex.EncodeToString(fresh[:]), err
}
