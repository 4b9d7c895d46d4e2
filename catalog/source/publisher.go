package source

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/impute"
)

// A Publisher is a home that publishes its tables in place: an engine forms the groups and writes the relations, which stay there.
type Publisher interface {
	Beside
	// Methods returns the names of the engine's methods.
	Methods() []string
	// ExceedsLimit returns a table's number of rows, and whether it exceeds the limit for reading.
	ExceedsLimit(ctx *sql.Context, of Table) (rows int, beyond bool, err error)
	// Plan reads counts and plans the groups. It writes nothing. It fails for an inapplicable parameter, a
	// column that cannot be released from there, and a table that cannot be divided as requested.
	Plan(ctx *sql.Context, of Table, w Wanted) (Attempt, error)
}

// Wanted describes the requested publication.
type Wanted struct {
	Method                      string
	QuasiIdentifiers, Sensitive []string
	// Identifiers distinguish records that look the same. They are not released.
	Identifiers []string
	// Parameters are the method's resolved parameters; Given names those that the owner gave.
	Parameters anonymize.Arguments
	Given      []string
	// Asked are requested promises beyond the method's own.
	Asked []anonymize.Promise
}

// An Attempt is a publication in progress. Until its caller commits its place it belongs to
// nobody: Discard drops it, and after Done a sweep does. Call its methods one after the other.
type Attempt interface {
	// Assign makes the engine form the groups and write the relations. On an error it leaves only what the error names.
	Assign(ctx context.Context, progress func(done, total int)) error
	// Verify recomputes the guarantees from the relations. It fails if one does not hold or if the relations do not match the table.
	Verify(ctx context.Context) ([]anonymize.Guarantee, error)
	// Written returns a description of the relations.
	Written(ctx *sql.Context) (*Written, error)
	// Model makes the engine count the model of the written groups' records: two-way tables of every
	// quasi-identifier by the sensitive attribute. Call it after Written and before Close.
	Model(ctx context.Context, o contingency.Options) (*anonymize.Model, error)
	// Sample returns whole groups of the relations, all of them if those are read whole, with
	// all of the columns' values in its dictionaries; nil for ranges, which are not completed.
	Sample(ctx context.Context, w *Written) (sample *anonymize.Release, whole bool, err error)
	// Linked returns a sample of whole groups with their records, until Close. An *anonymize.DataError
	// says that the groups are so large that it would read too many records.
	Linked(ctx context.Context, w *Written) (*Linked, error)
	// Republisher returns m with groups formed as the engine did, for a local table; it measures the
	// errors of completed tables. It returns m itself if the engine's groups need more than the table.
	Republisher(m anonymize.Method) anonymize.Method
	// Complete makes the engine draw completed tables with models of a sample, and records that in its
	// place. An *anonymize.DataError says that it cannot draw them and has written nothing.
	Complete(ctx context.Context, w *Written, fitted *impute.Fitted, progress func(done, total int)) error
	// Publish moves the relations to where readers of the engine may read them, and records that in
	// their place. Before, they may not.
	Publish(ctx context.Context, w *Written) error
	// Close drops what links records to groups.
	Close(ctx context.Context) error
	// Discard drops everything.
	Discard(ctx context.Context) error
	// Done ends the attempt, committed or discarded: from then on a sweep may drop it.
	Done()
}

// Linked is a sample of whole groups of an engine's release with their records. It serves to measure attacks.
type Linked struct {
	Release *anonymize.Release
	// Records are as in the raw table. GroupOf has each record's group; Alone marks records with unique quasi-identifiers in the table.
	Records *anonymize.Microdata
	GroupOf []uint32
	Alone   []bool
	// Whole reports whether the sample has all groups.
	Whole bool
	// Shared reports whether some groups, in the sample or not, show the same ranges: then quasi-identifiers do not identify a record's group.
	Shared bool
}

// Written describes relations in an engine.
type Written struct {
	Place        Place
	Rows, Groups int
	Fragments    []Fragment
	// Digests are the released columns' digests in the raw table ([DigestOf]).
	Digests map[string]string
	Facts   []anonymize.Fact
}

// Shape returns the release without values and tuples, but with the size of its largest group.
func (w *Written) Shape() *anonymize.Release {
	r := &anonymize.Release{Rows: w.Rows}
	for _, f := range w.Fragments {
		fragment := &anonymize.Fragment{Name: f.Name, Role: f.Role}
		for _, c := range f.Columns {
			column := &anonymize.FragmentColumn{Name: c.Name, Type: c.Type}
			if c.Ranges {
				column.Cells = []anonymize.Cell{}
			}
			fragment.Columns = append(fragment.Columns, column)
		}
		r.Fragments = append(r.Fragments, fragment)
	}
	for _, s := range w.Place.Sizes {
		r.GroupSizes = append(r.GroupSizes, s.Size)
	}
	return r
}

// A Place says where an engine stores the relations of a release. The catalog stores it with the release.
type Place struct {
	// Engine names the engine, its catalog and its schema: trino://host:port/catalog/schema.
	Engine string
	// Name is part of the relations' names. It identifies their data directory and the attempt.
	Name string
	// Schema has the relations if the release is private; "" for those of a public one, which are in that of Engine.
	Schema string `json:",omitempty"`
	// Sizes has the number of groups of each size, by ascending size.
	Sizes []estimate.GroupSize
	// Declared has the engine's column types, by name.
	Declared map[string]string
	// Preview says which groups a preview shows.
	Preview Preview
	// Tables is the engine's number of completed tables, 0 for none.
	Tables int `json:",omitempty"`
}

// A Preview shows the groups whose number is divisible by Every. They have Rows records.
type Preview struct {
	Every int64
	Rows  int
}

// A Fragment is a relation of a release in an engine.
type Fragment struct {
	Name   string // follows the release's name, such as qi1
	Role   anonymize.FragmentRole
	Tuples int
	// Columns have the raw table's types.
	Columns []FragmentColumn
	// Draw is the number of a completed table, from 1, whose rows these are; else 0. Widths then has every fragment's number of columns.
	Draw   int
	Widths []int
}

// DrawnRelation follows the release's name in the name of the relation of completed tables.
const DrawnRelation = "imputed"

// DrawnRows returns the rows of a completed table at a place, from 1, as a relation to read in pages, with the columns of all fragments.
func DrawnRows(p Place, fragments []Fragment, draw int) Fragment {
	f := Fragment{Name: DrawnRelation, Draw: draw}
	for _, of := range fragments {
		f.Columns, f.Widths = append(f.Columns, of.Columns...), append(f.Widths, len(of.Columns))
	}
	for _, s := range p.Sizes {
		f.Tuples += int(s.Size) * int(s.Groups)
	}
	return f
}

// A FragmentColumn is a column with a type in the notation of package coding.
type FragmentColumn struct {
	Name, Type string
	// Ranges reports whether the relation has ranges of values: a record may have any value of its range.
	Ranges bool
}

// A Distributed home has raw tables and relations of releases in one engine.
type Distributed interface {
	Publisher
	// Relations returns the store of the relations.
	Relations() RelationStore
	// Reached returns the engine's host:port, and the error of the last attempt to reach it; nil for success or no attempt.
	Reached() (address string, trouble error)
	// Reach tries to reach the engine and returns the error.
	Reach(ctx context.Context) error
}

// A RelationStore stores the relations of releases in an engine. It reads nothing else there,
// so code that serves analysts with it cannot reach a raw table.
type RelationStore interface {
	// Engine returns the value of [Place].Engine.
	Engine() string
	// Limit is the greatest number of records of a release that is read whole; for ranges, the greatest number of rows of its relations.
	Limit() int
	// Read returns the groups of the relations at a place whose number is divisible by every,
	// all for 1. It renumbers them from 0 in the order of their numbers.
	Read(ctx context.Context, p Place, fragments []Fragment, every int64) (*anonymize.Release, error)
	// Pages returns a reader of a relation from its first group to its last, in pages of whole
	// groups, about 50,000 tuples each unless a group has more; nil after the last. A page's
	// groups are numbered from 0.
	Pages(ctx context.Context, p Place, f Fragment) (next func() (*anonymize.Fragment, error), err error)
	// SubTuples counts the combinations of values of a relation: those of exactly one record, and all.
	SubTuples(ctx context.Context, p Place, f Fragment) (once, distinct int, err error)
	// Guarantees recomputes a method's promises for its parameters from all groups of the relations at a place.
	Guarantees(ctx context.Context, p Place, fragments []Fragment, w Wanted) ([]anonymize.Guarantee, error)
	// Counts makes the engine count the relations at a place. shape is the release without values and
	// tuples, except for relations of ranges, which it reads whole (estimate.PrepareElsewhere).
	Counts(ctx context.Context, p Place, fragments []Fragment) (shape *anonymize.Release, counts estimate.Elsewhere, err error)
	// Keeps reports whether this data directory may drop the relations at a place: a copy may not drop its original's.
	Keeps(p Place) bool
	// Drop drops the relations at a place.
	Drop(ctx context.Context, p Place, fragments []Fragment) error
	// Sweep drops what this data directory's attempts left, unless kept reports the name. It may run during attempts.
	Sweep(ctx context.Context, kept func(name string) bool) (dropped []string, err error)
}
