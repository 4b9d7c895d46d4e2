package functions

import (
	"fmt"
	"math"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/weights"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

// weightNamed is the one column that the owner names, "" for none.
func (u *unitReading) weightNamed(columns []string) (weight string, err error) {
	refused := func(rule string) error {
		return &anonymize.ParameterError{Parameter: options.Weight.Name(), Value: "'" + texts.JoinNames(columns) + "'", Rule: rule}
	}
	switch {
	case len(columns) == 0:
		return "", nil
	case len(columns) > 1:
		return "", refused("must be one column: a record stands for one number of persons")
	}
	if weight, err = columnName(u.table, columns[0], options.Weight.Name()); err != nil {
		return "", err
	}
	at := slices.IndexFunc(u.table.Schema(), func(c *sql.Column) bool { return c.Name == weight })
	if typ := u.table.Schema()[at].Type; !types.IsNumber(typ) {
		return "", refused(fmt.Sprintf("which is %s, and a weight is a number", typ))
	}
	return weight, nil
}

// readWeight reads the option, or keeps the stored weight, and makes it a quasi-identifier. Other roles of the column are refused.
func (r *run) readWeight(given anonymize.Settings, stored string) (err error) {
	r.weight = stored
	if _, r.weightSaid = options.Weight.Given(given); r.weightSaid {
		if r.weight, err = r.weightNamed(options.Weight.Read(given)); err != nil {
			return err
		}
	}
	if r.weight == "" {
		return nil
	}
	for _, other := range []struct {
		columns []string
		role    string
	}{{r.roles.QuasiIdentifiers, "a quasi-identifier (qi)"}, {r.roles.Sensitive, "sensitive (sa)"}, {r.unit.columns, "the unit"},
		{r.identifiers, "an explicit identifier (ei)"}} {
		if slices.Contains(other.columns, r.weight) {
			return r.refuseWeight(true, "but that column is "+other.role+", too, and a column has one role: leave it out there, or say weight= without a column")
		}
	}
	if len(r.roles.QuasiIdentifiers) > 0 {
		r.roles.QuasiIdentifiers = append(slices.Clone(r.roles.QuasiIdentifiers), r.weight)
	}
	return nil
}

func (u *unitReading) refuseWeight(refused bool, rule string) error {
	if u.weight == "" || !refused {
		return nil
	}
	return &anonymize.ParameterError{Parameter: options.Weight.Name(), Value: "'" + u.weight + "'", Rule: rule}
}

// notWeight are the columns other than the weight.
func (u *unitReading) notWeight(columns []*anonymize.Column) []*anonymize.Column {
	return slices.DeleteFunc(slices.Clone(columns), func(c *anonymize.Column) bool { return c.Name == u.weight })
}

// coarsen replaces weights by classes. A class has at least as many persons as groups have, and [weights.MinPersons]. Classes do not depend on hidden columns.
func (u *unitReading) coarsen(table *anonymize.Microdata, units []uint32, settings anonymize.Settings, hidden []string) (*anonymize.Microdata, error) {
	persons := weights.MinPersons
	for _, name := range []string{"k", "l"} {
		if size, err := anonymize.ParseRatio(settings.Text[name]); err == nil {
			persons = max(persons, int(math.Ceil(size.Float())))
		}
	}
	coarse, classes, err := weights.Coarsen(table, u.weight, units, persons, hidden)
	u.classes = classes
	return coarse, err
}
