package source

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/impute"
)

// A Publisher is a home that publishes its tables where they are: an engine forms the groups and writes the relations, which stay there.
type Publisher interface {
	Beside
	// Methods are those that the engine has, by name.
	Methods() []string
	// ExceedsLimit says how many rows a table has, and whether they are more than are read.
	ExceedsLimit(ctx *sql.Context, of Table) (rows int, beyond bool, err error)
	// Plan reads counts and plans the groups. It writes nothing. A parameter that means nothing there, a column that cannot be released from
	// there, and a table that cannot be divided as wanted are errors.
	Plan(ctx *sql.Context, of Table, w Wanted) (Attempt, error)
}

// Wanted is what is to be published.
type Wanted struct {
	Method                      string
	QuasiIdentifiers, Sensitive []string
	// Identifiers tell records apart that look the same. They are not released.
	Identifiers []string
	// Parameters are the method's, resolved; Given are the names of those that the owner gave.
	Parameters anonymize.Arguments
	Given      []string
	// Asked are promises beside the method's own.
	Asked []anonymize.Promise
}

// An Attempt is a publication that is under way. Until its caller commits to its place, nothing of it is anybody's: Discard drops it, and so
// does a sweep after Done. Its methods are called one after the other.
type Attempt interface {
	// Assign has the engine form the groups and write the relations. On an error nothing of it is left but what the error names.
	Assign(ctx context.Context, progress func(done, total int)) error
	// Verify recomputes the guarantees from the relations. One that does not hold, or relations that are not the table, are an error.
	Verify(ctx context.Context) ([]anonymize.Guarantee, error)
	// Written describes the relations.
	Written(ctx *sql.Context) (*Written, error)
	// Model has the engine count the model of what is written, of the groups' records: two-way tables of every quasi-identifier by the sensitive attribute.
	// It is asked for after Written and before Close.
	Model(ctx context.Context, o contingency.Options) (*anonymize.Model, error)
	// Sample is a sample of whole groups of what is written, or all of it where that is read whole, with every value of the columns in its dictionaries; nil
	// for ranges, which are not completed.
	Sample(ctx context.Context, w *Written) (sample *anonymize.Release, whole bool, err error)
	// Linked is a sample of whole groups of what is written, with the records of these groups, until Close. An *anonymize.DataError says that groups are so
	// large that too many records would be read.
	Linked(ctx context.Context, w *Written) (*Linked, error)
	// Republisher is the method with groups as the engine has formed them, of a table that is here: what completed tables are wrong by is measured with
	// it. It is the method as it is where the engine's groups need more than the table.
	Republisher(m anonymize.Method) anonymize.Method
	// Complete has the engine draw completed tables of what is written, with models of a sample, and says so in its place. An *anonymize.DataError says that it
	// cannot draw them, and has written nothing for them.
	Complete(ctx context.Context, w *Written, fitted *impute.Fitted, progress func(done, total int)) error
	// Close drops what leads from records to groups.
	Close(ctx context.Context) error
	// Discard drops everything.
	Discard(ctx context.Context) error
	// Done says that the attempt is committed or discarded: a sweep looks at it from then on.
	Done()
}

// Linked is a sample of whole groups of a release that an engine makes, with the records of these groups: attacks are measured with it.
type Linked struct {
	Release *anonymize.Release
	// Records are as they are in the raw table. GroupOf has the group of each, and Alone tells those whose quasi-identifiers no other record of the table has.
	Records *anonymize.Microdata
	GroupOf []uint32
	Alone   []bool
	// Whole says that the sample has all groups.
	Whole bool
	// Shared says that some groups, of the sample or not, show the same ranges: quasi-identifiers do not tell a record's group.
	Shared bool
}

// Written describes relations that an engine keeps.
type Written struct {
	Place        Place
	Rows, Groups int
	Fragments    []Fragment
	// Digests are of the released columns, as they are in the raw table ([DigestOf]).
	Digests map[string]string
	Facts   []anonymize.Fact
}

// Shape is the release without its values and tuples: with the size of its largest group.
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

// A Place says where an engine keeps the relations of a release. It is stored with the release.
type Place struct {
	// Engine is the engine, its catalog and its schema: trino://host:port/catalog/schema.
	Engine string
	// Name is in the names of the relations: of the data directory that made them, and of the attempt.
	Name string
	// Sizes are how many groups have how many records, by ascending size.
	Sizes []estimate.GroupSize
	// Declared are the engine's types of the columns, by name.
	Declared map[string]string
	// Preview are groups that a reader is shown rows of.
	Preview Preview
	// Tables is how many completed tables the engine has, 0 for none.
	Tables int `json:",omitempty"`
}

// A Preview is of the groups whose number has remainder 0 by Every: they have Rows records.
type Preview struct {
	Every int64
	Rows  int
}

// A Fragment is a relation of a release that an engine keeps.
type Fragment struct {
	Name   string // behind the release's name, such as qi1
	Role   anonymize.FragmentRole
	Tuples int
	// Columns are as values are kept here: those of the raw table.
	Columns []FragmentColumn
	// Draw is, of the rows of completed tables, which of these, from 1; 0 otherwise. Widths are then how many columns every fragment has.
	Draw   int
	Widths []int
}

// DrawnRelation is what the relation of completed tables is called behind the release's name.
const DrawnRelation = "imputed"

// DrawnRows are the rows of a completed table at a place, from 1, as a relation that is read in pages: of all fragments' columns.
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

// A FragmentColumn has a type in the spelling of package coding.
type FragmentColumn struct {
	Name, Type string
	// Ranges says that the relation has ranges of the column's values: a record has any one of them.
	Ranges bool
}

// A Distributed home keeps raw tables, and relations of releases, in one engine.
type Distributed interface {
	Publisher
	// Relations keeps the relations.
	Relations() RelationStore
	// Reached is host:port of the engine, and why it was not reached when it was asked last: nil when it was, or was not asked yet.
	Reached() (address string, trouble error)
	// Reach asks the engine for nothing, and says why it was not reached.
	Reach(ctx context.Context) error
}

// A RelationStore keeps the relations of releases in an engine. It asks for them and for nothing else there: who answers analysts
// with it has no way to a raw table.
type RelationStore interface {
	// Engine is what [Place] calls it.
	Engine() string
	// Limit is how many records a release may have to be read whole; of one with ranges, how many rows its relations may have.
	Limit() int
	// Read returns the groups of the relations at a place whose number has remainder 0 by every, all for 1. Groups are numbered from 0 in the
	// order of their numbers there.
	Read(ctx context.Context, p Place, fragments []Fragment, every int64) (*anonymize.Release, error)
	// Pages returns what reads a relation at a place from its first group to its last, in pages of
	// whole groups, some 50,000 tuples each unless a group has more: nil behind the last. Groups of
	// a page are numbered from 0.
	Pages(ctx context.Context, p Place, f Fragment) (next func() (*anonymize.Fragment, error), err error)
	// SubTuples counts the combinations of values of a relation at a place: those that one record has, and all of them.
	SubTuples(ctx context.Context, p Place, f Fragment) (once, distinct int, err error)
	// Guarantees recomputes what a release of a method with its parameters promises, from all groups of the relations at a place.
	Guarantees(ctx context.Context, p Place, fragments []Fragment, w Wanted) ([]anonymize.Guarantee, error)
	// Counts has the engine count the relations at a place. shape is what the release is without values and tuples, but for relations of ranges, which are read
	// whole (estimate.PrepareElsewhere).
	Counts(ctx context.Context, p Place, fragments []Fragment) (shape *anonymize.Release, counts estimate.Elsewhere, err error)
	// Keeps says whether the relations at a place are this data directory's to drop: those of a copy's original are not.
	Keeps(p Place) bool
	// Drop drops the relations at a place.
	Drop(ctx context.Context, p Place, fragments []Fragment) error
	// Sweep drops what attempts of this data directory have left whose names kept does not tell. It may run while attempts do.
	Sweep(ctx context.Context, kept func(name string) bool) (dropped []string, err error)
}
