package datapackage

import (
	"context"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/anonsql/anonsql/anonymize"
)

// A shape is the Parquet form of a column's kind. The type of the file's column identifies it.
type shape struct {
	node  parquet.Node
	value func(v anonymize.Value) parquet.Value
}

const microsADay = int64(24 * time.Hour / time.Microsecond)

// shapeOf chooses numbers and times if they hold every value, else text.
func shapeOf(c *tableColumn) shape {
	text := shape{parquet.String(), func(v anonymize.Value) parquet.Value { return parquet.ByteArrayValue([]byte(c.kind.text(v))) }}
	switch c.kind {
	case integerKind:
		if !slices.ContainsFunc(c.values, func(v anonymize.Value) bool { return v.Kind == anonymize.Decimal }) {
			return shape{parquet.Int(64), func(v anonymize.Value) parquet.Value { return parquet.Int64Value(v.Int) }}
		}
	case realKind:
		return shape{parquet.Leaf(parquet.DoubleType), func(v anonymize.Value) parquet.Value { return parquet.DoubleValue(v.Float) }}
	case decimalKind:
		if scale, ok := scaleOf(c.values); ok {
			return shape{parquet.Decimal(scale, 18, parquet.Int64Type), func(v anonymize.Value) parquet.Value {
				unscaled, _ := unscaledOf(v.Text)
				return parquet.Int64Value(unscaled)
			}}
		}
	case dateKind:
		return shape{parquet.Date(), func(v anonymize.Value) parquet.Value { return parquet.Int32Value(int32(v.Int / microsADay)) }}
	case instantKind, fractionKind:
		return shape{parquet.Timestamp(parquet.Microsecond), func(v anonymize.Value) parquet.Value { return parquet.Int64Value(v.Int) }}
	case binaryKind:
		return shape{parquet.Leaf(parquet.ByteArrayType), func(v anonymize.Value) parquet.Value { return parquet.ByteArrayValue([]byte(v.Text)) }}
	}
	return text
}

// scaleOf returns the common number of decimal places, if 18 digits suffice.
func scaleOf(values []anonymize.Value) (scale int, ok bool) {
	scale = -1
	for _, v := range values {
		if v.IsNull() {
			continue
		}
		_, places, _ := strings.Cut(v.Text, ".")
		if scale >= 0 && len(places) != scale {
			return 0, false
		}
		scale = len(places)
		if unscaled, ok := unscaledOf(v.Text); !ok || scaledText(unscaled, scale) != v.Text {
			return 0, false
		}
	}
	return scale, scale >= 0 && scale <= 18
}

// unscaledOf returns the number without its point.
func unscaledOf(text string) (int64, bool) {
	unscaled, err := strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
	return unscaled, err == nil && unscaled < 1e18 && unscaled > -1e18
}

// scaledText reinserts the point.
func scaledText(unscaled int64, scale int) string {
	sign := ""
	if unscaled < 0 {
		sign = "-"
	}
	digits := strings.TrimPrefix(strconv.FormatInt(unscaled, 10), "-")
	if scale == 0 {
		return sign + digits
	}
	digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// fields is a group of columns in their order; parquet.Group sorts by name.
type fields struct {
	parquet.Group
	order []string
}

func (f fields) Fields() []parquet.Field {
	sorted := slices.Clone(f.Group.Fields())
	slices.SortFunc(sorted, func(a, b parquet.Field) int {
		return slices.Index(f.order, a.Name()) - slices.Index(f.order, b.Name())
	})
	return sorted
}

// pageBytes is the size of a page before encoding, in bytes.
const pageBytes = 1 << 20

// writeParquet writes one row group with dictionaries and uncompressed pages: codes are small
// already, and readers of foreign files need not trust their uncompressed sizes.
func writeParquet(ctx context.Context, w io.Writer, t *table) error {
	root := fields{Group: parquet.Group{}}
	values := make([][]parquet.Value, len(t.columns))
	for i := range t.columns {
		c := &t.columns[i]
		root.order = append(root.order, c.name)
		s := shapeOf(c)
		if c.isNumbers() {
			root.Group[c.name] = parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked)
			continue
		}
		root.Group[c.name] = parquet.Optional(parquet.Encoded(s.node, &parquet.RLEDictionary))
		values[i] = make([]parquet.Value, len(c.values))
		for code, v := range c.values {
			if v.IsNull() {
				values[i][code] = parquet.NullValue().Level(0, 0, i)
			} else {
				values[i][code] = s.value(v).Level(0, 1, i)
			}
		}
	}
	out := parquet.NewGenericWriter[any](w, parquet.NewSchema(resourceName(t.name), root), parquet.MaxRowsPerRowGroup(math.MaxInt64),
		parquet.PageBufferSize(pageBytes), parquet.Compression(&parquet.Uncompressed), parquet.CreatedBy("anonsql", "", ""))
	if err := writeRows(ctx, out, t, values); err != nil {
		return err
	}
	return out.Close()
}

// rowsAtOnce is the number of rows per call of the writer.
const rowsAtOnce = 512

func writeRows(ctx context.Context, out *parquet.GenericWriter[any], t *table, values [][]parquet.Value) error {
	width := len(t.columns)
	cells, rows := make([]parquet.Value, rowsAtOnce*width), make([]parquet.Row, rowsAtOnce)
	for start := 0; start < t.rows; start += rowsAtOnce {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n := min(rowsAtOnce, t.rows-start)
		for j := range n {
			row := cells[j*width : (j+1)*width : (j+1)*width]
			for i := range t.columns {
				code := t.columns[i].codes[start+j]
				if values[i] == nil {
					row[i] = parquet.Int64Value(int64(code)).Level(0, 0, i)
				} else {
					row[i] = values[i][code]
				}
			}
			rows[j] = row
		}
		if _, err := out.WriteRows(rows[:n]); err != nil {
			return err
		}
	}
	return nil
}
