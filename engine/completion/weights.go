package completion

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/engine/dialect"
)

// A span is the range of categories of a fragment or of a column: first to end-1.
type span struct{ first, end int }

func (s span) size() int { return s.end - s.first }

// spanOf returns the categories of a fragment.
func (r *Request) spanOf(fragment int) span {
	s := span{r.Fitted.Categories, 0}
	for i := range r.Fitted.Category[fragment] {
		of := r.columnSpan(fragment, i)
		s.first, s.end = min(s.first, of.first), max(s.end, of.end)
	}
	return s
}

// columnSpan returns the categories of a column.
func (r *Request) columnSpan(fragment, column int) span {
	of := r.Fitted.Category[fragment][column]
	return span{int(slices.Min(of)), int(slices.Max(of)) + 1}
}

// width returns a fragment's number of categories, size its number of weights per draw: one per category of the release and of the fragment.
func (r *Request) width(fragment int) int { return r.spanOf(fragment).size() }
func (r *Request) size(fragment int) int  { return r.Fitted.Categories * r.width(fragment) }

// uploadWeights writes theta in thousandths: (fragment, part, w). A fragment's parts in sequence have the
// weight of draw d, category u of the release and category v of the fragment at d*size + u*width + v.
func (r *Request) uploadWeights(ctx context.Context) error {
	begin := r.Dialect.CreateTableAs(r.Table(weightTable), "", nil, "")
	for fragment := 1; fragment < len(r.Relations); fragment++ {
		for part, list := range r.weightTexts(fragment) {
			text := fmt.Sprintf("SELECT %d AS fragment, %d AS part, transform(split('%s', ' '), v -> CAST(v AS REAL) / 1000) AS w", fragment, part, list)
			if _, err := r.Conn.Exec(ctx, begin+text); err != nil {
				return err
			}
			begin = "INSERT INTO " + r.Table(weightTable) + " "
		}
	}
	return nil
}

// weightTexts writes the weights of a fragment.
func (r *Request) weightTexts(fragment int) (parts []string) {
	var b strings.Builder
	s, n := r.spanOf(fragment), r.Fitted.Categories
	for _, theta := range r.Fitted.Theta {
		for u := range n {
			for v := s.first; v < s.end; v++ {
				if b.Len() > dialect.LongestStatement {
					parts = append(parts, b.String())
					b.Reset()
				}
				if b.Len() > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(strconv.Itoa(int(math.Round(1000 * float64(theta[u*n+v])))))
			}
		}
	}
	return append(parts, b.String())
}

// weights returns a query of a fragment's weights, one row.
func (r *Request) weights(fragment int) string {
	return fmt.Sprintf("SELECT flatten(array_agg(w ORDER BY part)) AS w FROM %s WHERE fragment = %d", r.Table(weightTable), fragment)
}
