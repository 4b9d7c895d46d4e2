package contingency

import "github.com/anonsql/anonsql/anonymize"

// TabulatedColumns returns the quasi-identifiers that get a table: the release keeps their
// values, but in no relation with the first sensitive attribute.
func TabulatedColumns(r *anonymize.Release, in *anonymize.Input) (columns []*anonymize.Column) {
	apart, _, _ := r.Locate(in.Sensitive[0].Name)
	for _, q := range in.QuasiIdentifiers {
		fragment, column, ok := r.Locate(q.Name)
		if ok && fragment != apart && r.Fragments[fragment].Columns[column].IsPoint() {
			columns = append(columns, q)
		}
	}
	return columns
}
