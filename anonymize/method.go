package anonymize

import (
	"context"
	"math/rand/v2"
)

// Roles name the attributes that a method works on. Explicit identifiers are
// not among them: they are never read.
type Roles struct {
	QuasiIdentifiers []string
	// Sensitive has one name for the methods that protect one attribute.
	Sensitive []string
	// NotSensitive are values, as texts, of the one sensitive attribute that are no secret. NULL is written NULL.
	NotSensitive []string
}

// An Input is everything a method may look at.
type Input struct {
	QuasiIdentifiers []*Column
	Sensitive        []*Column
	Rows             int
	// Units has the unit of every record, the person or household that it is of, numbered from 0; nil where every record
	// is a unit. No method looks at it: package units runs methods on units.
	Units []uint32
	// Domains are what the owner said of attributes, by the name of the column;
	// see Input.Domain.
	Domains map[string]*Domain
	// Asked are promises that the owner wants beside those of the arguments. A method may
	// look for groups that keep them; whoever publishes verifies them (package demand).
	Asked []Promise
	// NotSensitive are those of the roles. An algorithm sees others in their place ([Method.Anonymize]), and tells no fact of these.
	NotSensitive []string
	// Layout has the quasi-identifiers of every relation, as a version before published them ([Release.Layout]); nil where the method
	// chooses. A method that chooses by the records keeps to it.
	Layout [][]string
	// Apart is the table as it was before several sensitive attributes became the one that
	// is here, with what is asked of them; nil where they did not.
	Apart *Input
	// Random is the source of all choices: one source, one release. For a
	// publication it must be seeded from crypto/rand and forgotten: who
	// knows the seed can undo the grouping.
	Random rand.Source
	// Progress is told of finished work, done of total units of a phase; nil
	// when nobody listens.
	Progress func(phase string, done, total int)
	// Assigned is told the gid of every record, before Run returns; nil when
	// nobody listens. It is the most private thing there is, the link that the
	// release hides: it serves to measure a release (loss of utility, attacks)
	// and is stored with none but a dynamic one.
	Assigned func(gidOf []uint32)
}

// InLayout are the quasi-identifiers by the relations of [Input.Layout]; nil without one.
func (in *Input) InLayout() (tables [][]*Column) {
	for _, names := range in.Layout {
		var table []*Column
		for _, name := range names {
			for _, c := range in.QuasiIdentifiers {
				if c.Name == name {
					table = append(table, c)
				}
			}
		}
		tables = append(tables, table)
	}
	return tables
}

// Report passes progress on when somebody listens.
func (in *Input) Report(phase string, done, total int) {
	if in.Progress != nil {
		in.Progress(phase, done, total)
	}
}

// ErrEmpty is that there are no records.
var ErrEmpty = &DataError{"the table is empty"}

// NewInput picks the columns of the roles out of a table and checks them: at
// least one quasi-identifier, no attribute in two roles, at least one record. A method that
// needs a sensitive attribute says so itself. Errors are DataErrors.
func NewInput(table *Microdata, roles Roles, random rand.Source) (*Input, error) {
	if len(roles.QuasiIdentifiers) == 0 {
		return nil, &DataError{"no quasi-identifier is given: say qi=column,column,..."}
	}
	role := make(map[*Column]string)
	pick := func(names []string, as string) ([]*Column, error) {
		columns, err := table.Select(names...)
		if err != nil {
			return nil, &DataError{as + ": " + err.Error()}
		}
		for _, c := range columns {
			if role[c] != "" {
				return nil, &DataError{"column \"" + c.Name + "\" is named as " + role[c] + " and as " + as}
			}
			role[c] = as
		}
		return columns, nil
	}
	sensitive, err := pick(roles.Sensitive, "sa")
	if err != nil {
		return nil, err
	}
	quasi, err := pick(roles.QuasiIdentifiers, "qi")
	if err != nil {
		return nil, err
	}
	if table.Rows == 0 {
		return nil, ErrEmpty
	}
	return &Input{QuasiIdentifiers: quasi, Sensitive: sensitive, NotSensitive: roles.NotSensitive, Rows: table.Rows, Random: random}, nil
}

// A Method is one anonymization algorithm.
type Method struct {
	Name   string // as in CALL anonymize(..., 'slppa', ...)
	Title  string
	Source string // the paper
	// Parameters in the order of the table function's positional arguments; see [Declare].
	Parameters []Parameter
	// Share is the greatest share of a group that the settings let one sensitive value have, 1 for any; nil for a method that never bounds it,
	// which then has no [Threshold] and no [Sets].
	Share func(s Settings) Ratio
	// Alone says that its releases have no groups to hide in, so that a model of how attributes go together stands alone ([Model].Alone).
	Alone bool
	// Algorithm anonymizes. It stops with the context's error when the context ends, and
	// returns a *ParameterError, *InfeasibleError or *DataError for what the caller can mend, in a *NoGroupsError where other records may have groups.
	Algorithm func(ctx context.Context, in *Input, settings Settings) (*Release, error)
}

// Run is the algorithm with arguments that are checked first; errors are the algorithm's, and
// *ParameterErrors.
func (m Method) Run(ctx context.Context, in *Input, arguments Arguments) (*Release, error) {
	settings, err := m.Resolve(arguments)
	if err != nil {
		return nil, err
	}
	return m.Anonymize(ctx, in, settings)
}
