package evaluation

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// A column of the wrong kind is named.
func TestAttribute(t *testing.T) {
	text := anonymize.NewColumn("income", "", []anonymize.Value{anonymize.TextValue("<=50K")})
	whole := anonymize.NewColumn("age", "", []anonymize.Value{anonymize.IntegerValue(1)})
	r := &Run{Table: &anonymize.Microdata{Rows: 1, Columns: []*anonymize.Column{text, whole}}}
	if c, err := r.Attribute("crossbucket", Numeric, "salary", "income", "age"); c != whole {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := r.Attribute("crossbucket", Numeric, "salary", "income"); err == nil || err.Error() != "experiment crossbucket needs a column salary or income: income is not of numbers" {
		t.Error(err)
	}
}
