package catalog

import (
	"context"
	dbsql "database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/weights"
	"github.com/anonsql/anonsql/catalog/columnar"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/source"
)

// A ReleaseRecord describes a release and is stored with it. It never has the seed, which would reveal the grouping.
type ReleaseRecord struct {
	ID      int64 `json:"-"`
	Name    string
	Version int // 1 for the first; every replacement adds 1
	Method  string
	// SourceTable is the raw table's permanent number. Database and Table are its name, SourceVersion its version, at the time of publication.
	SourceTable     int64
	Database, Table string
	SourceVersion   int64
	// Digests are those of the released columns, if the table's home does not count changes (source.Digest).
	Digests map[string]string `json:",omitempty"`
	// Place is where an engine keeps the relations instead of the catalog; nil if the catalog has them.
	Place *source.Place `json:",omitempty"`
	// Kept is where the owner's server keeps the relations, too; nil for nowhere.
	Kept *source.Kept `json:",omitempty"`
	// Maker is the account that published the release; nil if an older version of the program did.
	Maker            *Account `json:",omitempty"`
	QuasiIdentifiers []string
	Sensitive        []string
	// Unit names the columns that identify units, the persons or households that the promises protect;
	// nil if every record is a unit. The names are published; the values are not stored.
	Unit []string `json:",omitempty"`
	// Weight has the classes of a survey's weights, nil for none. Readers know only the column.
	Weight *weights.Classes `json:",omitempty"`
	// Statement is the CALL that made it, without its seed; "" from older versions. It is for accounts that may read the raw table.
	Statement string `json:",omitempty"`
	// Parameters are the method's resolved parameters, without the seed.
	Parameters map[string]string
	Rows       int
	Groups     int
	// Forged is the number of counterfeits among Rows. It is published.
	Forged int `json:",omitempty"`
	// MovedDays is the greatest number of days by which dates were moved, by a number per unit that is not stored; 0: they are unchanged.
	MovedDays int `json:",omitempty"`
	// Partial says that its CALL permitted leaving out records. Their number is only for accounts that may read the raw table.
	Partial bool `json:",omitempty"`
	// Model is what the release publishes beside its groups, as <name>_model; nil for nothing.
	Model *anonymize.Model `json:",omitempty"`
	// Imported releases were made elsewhere and have no raw table here. Recomputed: their guarantees follow from their relations; no build before 1.0 says so.
	Imported, Recomputed bool `json:",omitempty"`
	// Private releases are visible only to accounts that may read the raw table.
	Private bool
	// Composed says that the table had another public release.
	Composed bool
	// Guarantees are those of the fragments, then the results of attacks on the link at
	// publication, which cannot be recomputed later. See Public for who may know what.
	Guarantees []anonymize.Guarantee
	// Sequence has the promises over all versions of a release that follows its table; its fragments alone do not determine them.
	Sequence []anonymize.Guarantee `json:",omitempty"`
	Facts    []anonymize.Fact
	// Columns lists the view's columns, in the raw table's order.
	Columns   []string
	Fragments []FragmentRecord
	Published time.Time
	Seconds   float64 // from reading the table to the end of verification
	// Live is set for a release that follows its raw table, and for its earlier versions.
	Live *LiveRecord `json:",omitempty"`
	// Completion describes the completed tables; nil if there are none.
	Completion *CompletionRecord `json:",omitempty"`
	// AwaitsTables is the default estimator of a release whose completed tables the server has
	// to draw by itself; "" for none. AwaitsUnmeasured says not to measure their misfit.
	AwaitsTables     string `json:",omitempty"`
	AwaitsUnmeasured bool   `json:",omitempty"`
	// Calibration is the measurement of package utility at publication; empty if there is none. It is for accounts that may read the raw table,
	// except for what package interval takes from it; see Exceptions.
	Calibration json.RawMessage `json:",omitempty"`
	// Loss is the measured loss of utility, for accounts that may read the raw table.
	Loss json.RawMessage `json:",omitempty"`
}

// An Account identifies the account of a session; for an account of an upstream server, Host is that server.
type Account struct{ User, Host string }

// AccountOf returns the account of a session.
func AccountOf(ctx *sql.Context) *Account {
	client := ctx.Session.Client()
	return &Account{client.User, client.Address}
}

// A FragmentRecord describes a fragment. The release's name and its own form the name of its relation.
type FragmentRecord struct {
	Name    string
	Role    anonymize.FragmentRole
	Tuples  int
	Columns []FragmentColumnRecord
}

// A FragmentColumnRecord describes a column of a fragment.
type FragmentColumnRecord struct {
	Name  string
	Type  string
	Point bool // every cell is a single value
	// See [anonymize.FragmentColumn].
	Constant bool `json:",omitempty"`
	Spans    bool `json:",omitempty"`
}

// column returns the column without its codes and values.
func (r *FragmentColumnRecord) column() *anonymize.FragmentColumn {
	return &anonymize.FragmentColumn{Name: r.Name, Type: r.Type, Constant: r.Constant, Spans: r.Spans}
}

// describe sets the fields that a release determines.
func (r *ReleaseRecord) describe(release *anonymize.Release) {
	r.Fragments, r.Model = fragmentRecords(release), release.Model
	r.Rows, r.Groups, r.Forged = release.Rows, release.Groups(), release.Forged
}

// fragmentRecords describes the fragments of a release.
func fragmentRecords(r *anonymize.Release) []FragmentRecord {
	records := make([]FragmentRecord, len(r.Fragments))
	for i, f := range r.Fragments {
		records[i] = FragmentRecord{Name: f.Name, Role: f.Role, Tuples: f.Tuples()}
		for _, c := range f.Columns {
			records[i].Columns = append(records[i].Columns, FragmentColumnRecord{c.Name, c.Type, c.IsPoint(), c.Constant, c.Spans})
		}
	}
	return records
}

// insertRelease stores a release and its description within a transaction and returns its number. r is nil if an engine keeps the relations.
func insertRelease(ctx context.Context, tx *dbsql.Conn, record *ReleaseRecord, r *anonymize.Release) (int64, error) {
	text, err := json.Marshal(record)
	if err != nil {
		return 0, err
	}
	result, err := tx.ExecContext(ctx, `INSERT INTO releases (name, record) VALUES (?, ?)`, record.Name, string(text))
	if err != nil {
		return 0, err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return 0, err
	}
	if record.Place != nil {
		return id, nil
	}
	w := &partWriter{ctx: ctx, tx: tx, release: id}
	w.codes(-1, -1, "sizes", r.GroupSizes)
	w.codes(-1, -1, unitsKind, r.Units)
	for i, f := range r.Fragments {
		w.codes(i, -1, "tuples", tuplesPerGroup(f))
		w.codes(i, -1, "counts", f.Count)
		w.codes(i, -1, unitsKind, f.Units)
		for j, c := range f.Columns {
			w.codes(i, j, "codes", c.Codes)
			w.write(i, j, "dictionary", 0, columnar.EncodeDictionary(c.Dictionary))
			if !c.IsPoint() {
				w.write(i, j, "cells", 0, columnar.EncodeCells(c.Cells))
			}
		}
	}
	return id, w.err
}

// unitsKind is the kind of parts with numbers of units; a release without units has none.
const unitsKind = "units"

// releaseChunk is the number of codes of a stored chunk: large enough that memory bandwidth limits reading, small enough to fit a cache.
const releaseChunk = 1 << 16

// A partWriter stores the parts of one release. It keeps the first error.
type partWriter struct {
	ctx     context.Context
	tx      *dbsql.Conn
	release int64
	err     error
}

func (w *partWriter) codes(fragment, position int, kind string, codes []uint32) {
	chunk := 0
	for part := range slices.Chunk(codes, releaseChunk) {
		w.write(fragment, position, kind, chunk, columnar.EncodeCodes(part))
		chunk++
	}
}

func (w *partWriter) write(fragment, position int, kind string, chunk int, data []byte) {
	if w.err == nil {
		_, w.err = w.tx.ExecContext(w.ctx,
			`INSERT INTO release_parts (release_id, fragment, position, kind, chunk, data) VALUES (?, ?, ?, ?, ?, ?)`,
			w.release, fragment, position, kind, chunk, data)
	}
}

func tuplesPerGroup(f *anonymize.Fragment) []uint32 {
	tuples := make([]uint32, f.Groups())
	for g := range tuples {
		tuples[g] = f.GroupStart[g+1] - f.GroupStart[g]
	}
	return tuples
}

// deleteRelease deletes a release and its parts within a transaction.
func deleteRelease(ctx context.Context, tx *dbsql.Conn, id int64) error {
	for _, statement := range []string{
		`DELETE FROM release_parts WHERE release_id = ?`,
		`DELETE FROM evaluations WHERE release_id = ?`,
		`DELETE FROM live_state WHERE release_id = ?`,
		`DELETE FROM releases WHERE id = ?`,
	} {
		if _, err := tx.ExecContext(ctx, statement, id); err != nil {
			return err
		}
	}
	return nil
}

// readRecords returns the descriptions of all releases.
func readRecords(ctx context.Context, tx *dbsql.Conn) ([]*ReleaseRecord, error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, record FROM releases ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var records []*ReleaseRecord
	for rows.Next() {
		record, text := &ReleaseRecord{}, ""
		if err := rows.Scan(&record.ID, &text); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(text), record); err != nil {
			return nil, fault.Damaged(fmt.Sprintf("the description of release %d", record.ID), err)
		}
		records = append(records, record)
	}
	return records, rows.Err()
}

// readRelease returns the fragments of a release after checking that they are well-formed.
func readRelease(ctx context.Context, tx *dbsql.Conn, record *ReleaseRecord) (*anonymize.Release, error) {
	r, err := readFragments(ctx, tx, record)
	if err != nil {
		return nil, fault.Explained("read release "+record.Name, fmt.Errorf("release %s: %w", record.Name, err))
	}
	return r, nil
}

func readFragments(ctx context.Context, tx *dbsql.Conn, record *ReleaseRecord) (*anonymize.Release, error) {
	r := &anonymize.Release{Method: record.Method, Rows: record.Rows, Forged: record.Forged, Model: record.Model}
	p := &partReader{ctx: ctx, tx: tx, release: record.ID}
	r.GroupSizes, r.Units = p.codes(-1, -1, "sizes"), p.codes(-1, -1, unitsKind)
	for i, described := range record.Fragments {
		f := &anonymize.Fragment{Name: described.Name, Role: described.Role, Count: p.codes(i, -1, "counts"), Units: p.codes(i, -1, unitsKind)}
		f.GroupStart = append(f.GroupStart, 0)
		for _, tuples := range p.codes(i, -1, "tuples") {
			f.GroupStart = append(f.GroupStart, f.GroupStart[len(f.GroupStart)-1]+tuples)
		}
		for j, c := range described.Columns {
			f.Columns = append(f.Columns, p.column(i, j, c))
		}
		r.Fragments = append(r.Fragments, f)
	}
	if p.err == nil && (r.Units != nil) != record.hasUnits() {
		p.err = fault.Damaged("what was published", errors.New("it has numbers of units, or its description names a unit, not both"))
	}
	if p.err == nil {
		p.err = fault.Damaged("what was published", r.Check())
	}
	return r, p.err
}

// A partReader reads the parts of one release. It keeps the first error.
type partReader struct {
	ctx     context.Context
	tx      *dbsql.Conn
	release int64
	err     error
}

func (p *partReader) column(fragment, position int, described FragmentColumnRecord) *anonymize.FragmentColumn {
	c := described.column()
	c.Codes = p.codes(fragment, position, "codes")
	p.chunks(fragment, position, "dictionary", func(data []byte) (err error) {
		c.Dictionary, err = columnar.DecodeDictionary(data)
		return err
	})
	if !described.Point {
		p.chunks(fragment, position, "cells", func(data []byte) (err error) {
			c.Cells, err = columnar.DecodeCells(data, len(c.Dictionary))
			return err
		})
	}
	return c
}

func (p *partReader) codes(fragment, position int, kind string) []uint32 {
	var codes []uint32
	p.chunks(fragment, position, kind, func(data []byte) (err error) {
		codes, err = columnar.DecodeCodes(codes, data)
		return err
	})
	return codes
}

// chunks visits the chunks of a part in order: for a fragment (-1 for none) position is a column's, for completed tables the table's number.
func (p *partReader) chunks(fragment, position int, kind string, visit func([]byte) error) {
	if p.err == nil {
		p.err = p.visit(fragment, position, kind, visit)
	}
}

func (p *partReader) visit(fragment, position int, kind string, visit func([]byte) error) error {
	rows, err := p.tx.QueryContext(p.ctx,
		`SELECT data FROM release_parts WHERE release_id = ? AND fragment = ? AND position = ? AND kind = ? ORDER BY chunk`,
		p.release, fragment, position, kind)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var data dbsql.RawBytes
		if err := rows.Scan(&data); err != nil {
			return err
		}
		if err := visit(data); err != nil {
			return err
		}
	}
	return rows.Err()
}
