package anonymize

import (
	"context"
	"math/rand/v2"
)

// Roles name the attributes that a method works on. They never include explicit identifiers,
// which no method reads.
type Roles struct {
	QuasiIdentifiers []string
	// Sensitive has one name for methods that protect one attribute.
	Sensitive []string
	// NotSensitive lists values of the only sensitive attribute, as texts, that need no protection. NULL is written NULL.
	NotSensitive []string
}

// An Input is everything that a method may see.
type Input struct {
	QuasiIdentifiers []*Column
	Sensitive        []*Column
	Rows             int
	// Units has, by record, the number of its unit (a person or household), from 0; nil if
	// every record is a unit. Methods ignore it: package units runs methods on units.
	Units []uint32
	// Varying names the attributes with several values in a unit, of which this table has one: readers see the others, too, and groups may be united.
	Varying []string
	// Domains are the owner's declarations, by column name; see Input.Domain.
	Domains map[string]*Domain
	// Asked lists promises that the owner wants beyond those of the arguments. A method may
	// look for groups that keep them; the publisher verifies them (package demand).
	Asked []Promise
	// NotSensitive is that of the roles. The algorithm sees stand-ins instead ([Method.Anonymize]) and reports no fact about them.
	NotSensitive []string
	// Layout has the quasi-identifiers of each relation, as an earlier version published them ([Release.Layout]); nil
	// if the method chooses. A method that would choose by the records uses Layout instead.
	Layout [][]string
	// Apart is the table before several sensitive attributes were combined into one, with the
	// promises about them; nil if nothing was combined.
	Apart *Input
	// Random is the source of all choices. One source makes one release. For a publication,
	// seed it from crypto/rand and forget the seed: the seed reveals the grouping.
	Random rand.Source
	// Progress, if not nil, receives the finished and the total units of work in a phase.
	Progress func(phase string, done, total int)
	// Assigned, if not nil, receives the gid of every record before Run returns. It is the link
	// that the release hides, so nothing is more private. It serves to measure a release (loss
	// of utility, attacks) and is stored for dynamic releases only.
	Assigned func(gidOf []uint32)
}

// InLayout groups the quasi-identifiers by the relations of [Input.Layout]; nil without a layout.
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

// Report calls Progress if it is set.
func (in *Input) Report(phase string, done, total int) {
	if in.Progress != nil {
		in.Progress(phase, done, total)
	}
}

// ErrEmpty reports that the table has no records.
var ErrEmpty = &DataError{"the table is empty"}

// NewInput picks the columns of the roles out of a table. It requires at least one
// quasi-identifier, no attribute in two roles and at least one record. Methods that need a
// sensitive attribute check that themselves. Errors are DataErrors.
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
	// Share returns the greatest share of a group that the settings allow a sensitive value, 1 for no
	// bound. It is nil for methods that never bound the share; those have no [Threshold] and no [Sets].
	Share func(s Settings) Ratio
	// Nodes reports whether cells are nodes of taxonomies, and so also those of united groups. It is nil for methods whose cells are tight, or never united.
	Nodes func(s Settings) bool
	// Alone says that the method's releases have no groups to hide in: their protection rests on the published model alone ([Model].Alone).
	Alone bool
	// Algorithm anonymizes. If ctx ends, it returns the context's error. If the caller can mend the input, it returns a
	// *ParameterError, *InfeasibleError or *DataError, wrapped in a *NoGroupsError if other records may have groups.
	Algorithm func(ctx context.Context, in *Input, settings Settings) (*Release, error)
}

// Run checks the arguments and runs the algorithm. Errors are those of Algorithm, and
// *ParameterErrors for arguments.
func (m Method) Run(ctx context.Context, in *Input, arguments Arguments) (*Release, error) {
	settings, err := m.Resolve(arguments)
	if err != nil {
		return nil, err
	}
	return m.Anonymize(ctx, in, settings)
}
