package upstream

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/quoting"
)

const (
	// reportedEvery is the number of rows between two reports of progress.
	reportedEvery = 1 << 16
	// maxReadings is how often a table is read if it changes meanwhile.
	maxReadings = 3
	// maxForeseen bounds the rows for which memory is taken before they come: upstream's estimate may be far too high.
	maxForeseen = 1 << 20
)

// Microdata implements source.Table: one SELECT of the columns, then one per text column for
// its classes of equal values. Memory: four bytes per row and column, and the distinct values.
func (t *table) Microdata(ctx *sql.Context, names []string, progress func(done, total int)) (*anonymize.Microdata, error) {
	return t.microdata(ctx, names, nil, progress)
}

// microdata is Microdata. It fills numbers, if not nil, with those of the records.
func (t *table) microdata(ctx *sql.Context, names []string, numbers *numbering, progress func(done, total int)) (*anonymize.Microdata, error) {
	columns, err := t.pick(names)
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	for range maxReadings {
		readings, err := t.read(ctx, columns, numbers, progress)
		if err != nil {
			return nil, clientError(err)
		}
		complete := true
		found := make([]*anonymize.Column, len(readings))
		for i, r := range readings {
			classes := map[string]int64(nil)
			if r.of.text {
				if classes, err = t.classes(ctx, r.of, r.distinct()); err != nil {
					return nil, clientError(err)
				}
			}
			var known bool
			if found[i], known, err = r.finish(ctx, classes); err != nil {
				return nil, err
			}
			complete = complete && known
		}
		if complete {
			return anonymize.NewMicrodata(found...)
		}
	}
	return nil, &anonymize.DataError{
		Reason: fmt.Sprintf(
			"table %s.%s changes while it is read: texts appear that were not there a moment ago. Try again when less is written",
			t.schema,
			t.Name(),
		),
	}
}

// pick returns the named columns, all readable ones for nil.
func (t *table) pick(names []string) ([]*column, error) {
	return homes.Pick(t, t.columns, names)
}

// Reads implements source.Readable.
func (t *table) Reads(name string) bool { return homes.Reads(t.columns, name) }

// A reading collects a column while it is read: upstream's values in order of appearance.
type reading struct {
	of    *column
	codes []uint32
	code  map[string]uint32
	texts []string
	null  int // code of NULL, -1 if not seen yet
}

func (t *table) read(ctx *sql.Context, columns []*column, numbers *numbering, progress func(done, total int)) ([]*reading, error) {
	total, err := t.rows(ctx)
	if err != nil {
		return nil, err
	}
	asked := make([]string, len(columns))
	readings := make([]*reading, len(columns))
	for i, c := range columns {
		asked[i] = c.ask
		readings[i] = &reading{of: c, codes: make([]uint32, 0, min(total, maxForeseen)), code: make(map[string]uint32), null: -1}
	}
	asked = append(asked, numbers.begin(min(total, maxForeseen))...)
	done := 0
	query := fmt.Sprintf("SELECT %s FROM %s.%s", strings.Join(asked, ", "), quoting.Name(t.schema), quoting.Name(t.Name()))
	err = t.home.Asker.Query(ctx, query, func(values [][]byte) error {
		if len(values) != len(asked) {
			return fmt.Errorf("a row of %s has %d values, must have %d", t.Name(), len(values), len(asked))
		}
		for i, r := range readings {
			r.add(values[i])
		}
		numbers.add(values[len(readings):])
		if done++; done%reportedEvery == 0 {
			progress(done, max(total, done))
			return ctx.Err()
		}
		return nil
	})
	progress(done, done)
	return readings, err
}

// rows returns upstream's estimate of the number of rows, 0 for a view.
func (t *table) rows(ctx *sql.Context) (n int, err error) {
	err = t.home.Asker.Query(ctx, "SELECT TABLE_ROWS "+t.listed(), func(v [][]byte) error {
		if len(v) == 1 && v[0] != nil {
			n, _ = strconv.Atoi(string(v[0])) // it is an estimate
		}
		return nil
	})
	return max(n, 0), err
}

func (r *reading) add(v []byte) {
	if v == nil {
		if r.null < 0 {
			r.null = len(r.texts)
			r.texts = append(r.texts, "")
		}
		r.codes = append(r.codes, uint32(r.null))
		return
	}
	code, ok := r.code[string(v)]
	if !ok {
		code = uint32(len(r.texts))
		text := string(v)
		r.code[text] = code
		r.texts = append(r.texts, text)
	}
	r.codes = append(r.codes, code)
}

// distinct returns the texts read, without NULL.
func (r *reading) distinct() []string {
	if r.null < 0 {
		return r.texts
	}
	return slices.Delete(slices.Clone(r.texts), r.null, r.null+1)
}

// finish converts the distinct values, sorts the dictionary, and merges equal texts into one
// value. It returns false if classes lacks a text.
func (r *reading) finish(ctx *sql.Context, classes map[string]int64) (*anonymize.Column, bool, error) {
	values := make([]anonymize.Value, len(r.texts))
	classOf := make(map[anonymize.Value]int64, len(classes))
	for code, text := range r.texts {
		if code == r.null {
			values[code] = anonymize.NullValue
			continue
		}
		v, err := r.of.Value(ctx, []byte(text))
		if err != nil {
			return nil, false, err
		}
		values[code] = v
		if r.of.text {
			class, known := classes[text]
			if !known {
				return nil, false, nil
			}
			classOf[v] = class
		}
	}
	c := &anonymize.Column{Name: r.of.name, Type: coding.TypeText(r.of.typ), Codes: r.codes}
	coding.SortDictionary(c, values)
	if r.of.text {
		coding.UnifyClasses(c, classOf)
		if pads(r.of.collation) {
			coding.Unpad(c)
		}
		if err := r.of.tellsApart(c); err != nil {
			return nil, false, err
		}
	}
	return c, true, nil
}
