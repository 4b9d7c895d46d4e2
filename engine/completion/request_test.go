package completion

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/estimates"
	"github.com/anonsql/anonsql/enginetest"
)

// noting is a Conn that notes how long statements are, and which are waited for without end.
type noting struct {
	lengths []int
	endless []string
}

func (n *noting) Query(context.Context, string, func([]any) error) error {
	return errors.New("nothing is read")
}

func (n *noting) Exec(ctx context.Context, text string) (int64, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		n.endless = append(n.endless, text[:4])
	}
	n.lengths = append(n.lengths, len(text))
	return 0, nil
}

// TestLengthOfTheStatement: a column with many values in few categories gives a statement that engines accept. A too long one is refused, with the
// column's name, before anything is written.
func TestLengthOfTheStatement(t *testing.T) {
	const categories = 14
	for _, c := range []struct {
		values  int
		value   string // as printf has it
		refused bool
	}{{100_000, "%06d", false}, {14, "%060000d", true}} {
		r := requestOf(new(enginetest.Cluster), "s", 5, []int{categories, 2}, [][]float32{make([]float32, 16*16)})
		column := r.Fitted.Sample.Fragments[0].Columns[0]
		r.Relations[0].Columns[0] = estimates.Column{Name: "remark", Type: "varchar"}
		column.Dictionary, r.Fitted.Category[0][0] = nil, nil
		for i := range c.values {
			column.Dictionary = append(column.Dictionary, anonymize.TextValue(fmt.Sprintf(c.value, i)))
			r.Fitted.Category[0][0] = append(r.Fitted.Category[0][0], uint16(i*categories/c.values))
		}
		conn := new(noting)
		r.Conn = conn
		err := Draw(t.Context(), r)
		var long *LengthError
		if errors.As(err, &long) != c.refused || c.refused && !strings.Contains(long.Error(), "column remark") || !c.refused && err != nil {
			t.Errorf("%d values: %v", c.values, err)
		}
		if c.refused && conn.lengths != nil || !c.refused && (len(conn.lengths) != 3 || slices.Max(conn.lengths) > 50_000) {
			t.Errorf("%d values: statements of %d characters", c.values, conn.lengths)
		}
		if slices.Contains(conn.endless, "DROP") {
			t.Errorf("%d values: an engine that does not answer is waited for without end", c.values)
		}
	}
}
