package coding

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/anonymize"
)

// ValueText writes a value of a type as a leaf of a taxonomy, in SQL's notation.
func ValueText(typ sql.Type, v anonymize.Value) (string, error) {
	switch {
	case v.Kind == anonymize.Text, v.Kind == anonymize.Instant, v.Kind == anonymize.Integer && KindOf(typ) != KindTime:
		return v.String(), nil // the type's conversion gives the same, but is slower
	}
	boxed, err := SQLValue(typ, v)
	if err != nil || boxed == nil {
		return "NULL", err
	}
	text, err := typ.SQL(sql.NewEmptyContext(), nil, boxed)
	return text.ToString(), err
}

// NewLeafReader returns a parser of leaf labels as values of a column. Texts that are equal
// under the column's collation are one value, spelled as in the column, else as first in
// labels.
func NewLeafReader(c Codec, column *anonymize.Column, labels []string) func(string) (anonymize.Value, error) {
	spelled := spellingsOf(column, labels)
	return func(label string) (anonymize.Value, error) {
		if v, ok := c.plainInstant(label); ok {
			return v, nil
		}
		converted, inRange, err := c.Type.Convert(context.Background(), label)
		if err != nil {
			return anonymize.NullValue, err
		}
		if inRange != sql.InRange {
			return anonymize.NullValue, fmt.Errorf("it is out of the range of %s", c.Type)
		}
		v, err := ValueOf(c.Type, converted)
		if err != nil {
			return anonymize.NullValue, err
		}
		if exact, ok := spelled[v.Text]; ok && v.Kind == anonymize.Text {
			v.Text = exact
		}
		return v, nil
	}
}

// plainInstant parses a point in time as ValueText writes it. The type accepts many more forms,
// but is too slow for the days of a century.
func (c Codec) plainInstant(label string) (anonymize.Value, bool) {
	if c.Kind != KindInstant {
		return anonymize.NullValue, false
	}
	at, err := time.Parse(time.DateOnly, label)
	if err != nil && c.base != querypb.Type_DATE {
		at, err = time.Parse(time.DateTime, label)
	}
	return anonymize.InstantValue(at.UnixMicro()), err == nil && at.Nanosecond() == 0
}

// spellingsOf returns the spelling of every label; nil if equal texts have equal bytes.
func spellingsOf(column *anonymize.Column, labels []string) map[string]string {
	collation, ok := Spellings(column.Type)
	if !ok || len(labels) == 0 {
		return nil
	}
	var texts []string
	for _, v := range column.Dictionary {
		if v.Kind == anonymize.Text {
			texts = append(texts, v.Text)
		}
	}
	texts = append(texts, labels...)
	compare := comparison(collation)
	slices.SortStableFunc(texts, compare) // the column's texts come first among equals
	spelled := make(map[string]string, len(texts))
	for i, first := 0, 0; i < len(texts); i++ {
		if compare(texts[first], texts[i]) != 0 {
			first = i
		}
		spelled[texts[i]] = texts[first]
	}
	return spelled
}
