package datapackage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A readTable is the expected form of a file, and then its content.
type readTable struct {
	columns []*readColumn
	rows    int // expected number; -1 if only the file says it
}

// A readColumn collects one column: numbers, or codes of distinct texts in order of appearance.
type readColumn struct {
	name   string
	kind   kind
	number bool
	codes  []uint32
	texts  []string
	index  map[string]uint32
	// missing is the code of the missing value, -1 until there is one.
	missing int
	// byNumber maps a Parquet number to its code.
	byNumber map[int64]uint32
	scale    int // of a decimal in Parquet, -1 for none
}

func (c *readColumn) begin(rows int) {
	c.index, c.byNumber, c.missing = make(map[string]uint32), make(map[int64]uint32), -1
	c.codes = make([]uint32, 0, max(rows, 0))
}

func (c *readColumn) addNumber(n uint64) bool {
	c.codes = append(c.codes, uint32(n))
	return n <= math.MaxUint32
}

func (c *readColumn) addMissing() {
	if c.missing < 0 {
		c.missing = len(c.texts)
		c.texts = append(c.texts, "")
	}
	c.codes = append(c.codes, uint32(c.missing))
}

func (c *readColumn) addText(text []byte) uint32 {
	code, ok := c.index[string(text)]
	if !ok {
		code = uint32(len(c.texts))
		c.texts = append(c.texts, string(text))
		c.index[c.texts[code]] = code
	}
	c.codes = append(c.codes, code)
	return code
}

// values returns the values of the codes.
func (c *readColumn) values() ([]anonymize.Value, error) {
	list := make([]anonymize.Value, len(c.texts))
	for code, text := range c.texts {
		if code == c.missing {
			continue // NULL
		}
		v, ok := c.kind.parse(text)
		if !ok {
			return nil, errBadPackage("%.80q is no value of the kind %s as this program writes it", text, c.kind)
		}
		list[code] = v
	}
	return list, nil
}

// ascending renumbers the values in their order, as in dictionaries.
func (in *reader) ascending(c *readColumn) (dictionary []anonymize.Value, codes []uint32, err error) {
	if !c.kind.isKnown() {
		return nil, nil, errBadPackage("the kind %q is not known", c.kind)
	}
	values, err := c.values()
	if err != nil {
		return nil, nil, err
	}
	order := anonymize.Indices(len(values))
	slices.SortFunc(order, func(a, b uint32) int { return in.order(values[a], values[b]) })
	rank := make([]uint32, len(values))
	dictionary = make([]anonymize.Value, len(values))
	for i, code := range order {
		rank[code], dictionary[i] = uint32(i), values[code]
		in.meet(dictionary[max(i-1, 0)], dictionary[i])
	}
	codes = c.codes
	for i, code := range codes {
		codes[i] = rank[code]
	}
	return dictionary, codes, nil
}

// table reads a file and compares its size and hash. It reports a changed file as such,
// whatever else is wrong with it.
func (in *reader) table(ctx context.Context, r *resource, t *readTable) error {
	if len(r.Schema.Fields) != len(t.columns) {
		return errBadPackage("%s: its schema has %d fields, must have %d", r.Path, len(r.Schema.Fields), len(t.columns))
	}
	for i, c := range t.columns {
		if r.Schema.Fields[i].Name != c.name {
			return errBadPackage("%s: field %d of its schema is %q, must be %q", r.Path, i+1, r.Schema.Fields[i].Name, c.name)
		}
		c.begin(min(t.rows, int(min(r.Bytes, math.MaxInt32)))) // a row of CSV has more than a byte
	}
	f, err := in.files.Open(r.Path)
	if err != nil {
		return errBadPackage("%s is missing: %v", r.Path, reasonOf(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return errBadPackage("%s is no file", r.Path)
	}
	sum := sha256.New()
	counted := &measured{w: io.Discard, sum: sum}
	source := io.TeeReader(io.LimitReader(f, r.Bytes+1), counted)
	reading := in.content(ctx, r, t, source)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, err := io.Copy(io.Discard, source); err != nil {
		return errBadPackage("%s cannot be read: %v", r.Path, reasonOf(err))
	}
	switch {
	case counted.bytes != r.Bytes:
		return errBadPackage("%s was changed: it has not the %d bytes that %s says", r.Path, r.Bytes, DescriptorName)
	case r.Hash != "sha256:"+hex.EncodeToString(sum.Sum(nil)):
		return errBadPackage("%s was changed: its hash is not that of %s", r.Path, DescriptorName)
	case reading != nil:
		return wrapPlace(r.Path, reading)
	case t.rows >= 0 && len(t.columns[0].codes) != t.rows:
		return errBadPackage("%s has %d rows, must have %d", r.Path, len(t.columns[0].codes), t.rows)
	}
	return nil
}

func (in *reader) content(ctx context.Context, r *resource, t *readTable, source io.Reader) error {
	if r.Format == Parquet {
		// The Parquet library reads from the end.
		data := bytes.NewBuffer(nil)
		if _, err := io.Copy(data, source); err != nil {
			return errBadPackage("%v", reasonOf(err))
		}
		return readParquet(ctx, data.Bytes(), t, in.limits.Records)
	}
	if len(r.Schema.MissingValues) > 1 {
		return errBadPackage("it has several texts for missing values")
	}
	missing, hasMissing := "", false
	if len(r.Schema.MissingValues) == 1 {
		missing, hasMissing = r.Schema.MissingValues[0], true
	}
	err := readCSV(ctx, source, t, missing, hasMissing)
	if err != nil && !errors.As(err, new(*anonymize.DataError)) && ctx.Err() == nil {
		err = errBadPackage("%v", reasonOf(err))
	}
	return err
}
