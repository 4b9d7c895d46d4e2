package releases

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/publication"
)

// answering is an engine whose column has this many values.
type answering struct {
	values, read int
	text         string
}

// Query implements tables.Asker.
func (a *answering) Query(_ context.Context, text string, row func([]any) error) error {
	for a.text = text; a.read < a.values; {
		a.read++
		if err := row([]any{int64(a.read), int64(1)}); err != nil {
			return err
		}
	}
	return nil
}

// TestCountedColumns: a written column may have as many values as a release may; a column with more is refused by name.
func TestCountedColumns(t *testing.T) {
	for values, refused := range map[int]bool{publication.MaxValues: false, 2 * publication.MaxValues: true} {
		a := &answering{values: values}
		s := &Store{Reader: &Reader{asker: a}}
		column, err := s.counted(t.Context(), "t", "x", "sum(n)", source.FragmentColumn{Name: "account", Type: "bigint"})
		var data *anonymize.DataError
		if errors.As(err, &data) != refused || refused && !strings.Contains(data.Reason, "column account has more than 100000 values") {
			t.Errorf("of %d values: %v", values, err)
		}
		if !refused && len(column.counts) != values {
			t.Errorf("%d of %d values are counted", len(column.counts), values)
		}
		if a.read > publication.MaxValues+1 || a.text != "SELECT x, sum(n) FROM t GROUP BY x LIMIT 100001" {
			t.Errorf("%d values are read by %s", a.read, a.text)
		}
	}
}

// unclear is an engine whose column has a text with bytes that are no UTF-8.
type unclear struct{}

// Query implements tables.Asker.
func (unclear) Query(_ context.Context, _ string, row func([]any) error) error {
	return errors.Join(row([]any{"Ely", int64(1)}), row([]any{"M\uFFFDlaga", int64(1)}))
}

// TestUnclearTexts: a text that may be no UTF-8 is not published: nobody could ask for it.
func TestUnclearTexts(t *testing.T) {
	_, err := (&Store{Reader: &Reader{asker: unclear{}}}).counted(t.Context(), "t", "x", "sum(n)", source.FragmentColumn{Name: "town", Type: "longtext"})
	var data *anonymize.DataError
	if !errors.As(err, &data) || !strings.HasPrefix(data.Reason, "column town has the value 'M\uFFFDlaga', which cannot be published in the engine") {
		t.Error(err)
	}
}
