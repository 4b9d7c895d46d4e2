package tabular

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// A parquetRows reads the rows of a Parquet file, one row group after the other. The first row has the column names.
type parquetRows struct {
	file    *parquet.File
	columns []parquetColumn
	group   int
	rows    parquet.Rows // of the current group, nil before the first
	buffer  []parquet.Row
	read    []parquet.Row // of buffer, not yet read
	row     []cell
	named   bool
	done    func(share float64) // receives the share of the rows read so far
	given   int64
}

// A parquetColumn has a column's name and the function that writes its values.
type parquetColumn struct {
	name  string
	write func(v parquet.Value) (cell, error)
}

// newParquetRows refuses nested columns and unreadable files.
func newParquetRows(r io.ReaderAt, size, memory int64, done func(share float64)) (_ *parquetRows, err error) {
	defer func() {
		if v := recover(); v != nil { // the library panics on damaged files
			err = fmt.Errorf("the file is no valid Parquet: %v", v)
		}
	}()
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("the file is no valid Parquet, or was not copied whole: %w", err)
	}
	if err := checkPages(r, file.Metadata(), memory/4); err != nil {
		return nil, err
	}
	p := &parquetRows{file: file, buffer: make([]parquet.Row, 256), done: done}
	for _, c := range file.Root().Columns() {
		if !c.Leaf() || c.Repeated() {
			return nil, fmt.Errorf("column %q of the Parquet file has lists or records, which a table here cannot have: write it without that column", c.Name())
		}
		write, err := writerOf(c, &file.Metadata().Schema[1+len(p.columns)]) // the schema's root precedes its columns
		if err != nil {
			return nil, err
		}
		p.columns = append(p.columns, parquetColumn{c.Name(), write})
	}
	p.row = make([]cell, len(p.columns))
	return p, nil
}

func (p *parquetRows) next() (row []cell, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("row %d of the Parquet file cannot be read: %v", p.given+1, v)
		}
	}()
	if !p.named {
		p.named = true
		for i, c := range p.columns {
			p.row[i] = cell{value: c.name, isText: true}
		}
		return p.row, nil
	}
	for len(p.read) == 0 {
		if err := p.fill(); err != nil {
			return nil, err
		}
	}
	values := p.read[0]
	p.read = p.read[1:]
	p.given++
	if len(values) != len(p.columns) {
		return nil, fmt.Errorf("row %d of the Parquet file has %d values for %d columns", p.given, len(values), len(p.columns))
	}
	for i, v := range values {
		if p.row[i] = (cell{isNull: true}); !v.IsNull() {
			if p.row[i], err = p.columns[i].write(v); err != nil {
				return nil, fmt.Errorf("row %d, column %q of the Parquet file: %w", p.given, p.columns[i].name, err)
			}
		}
	}
	return p.row, nil
}

// fill reads some rows of the group, or moves to the next group.
func (p *parquetRows) fill() error {
	if p.rows == nil {
		groups := p.file.RowGroups()
		if p.group == len(groups) {
			if p.given != p.file.NumRows() {
				return fmt.Errorf("the Parquet file says that it has %d rows and has %d", p.file.NumRows(), p.given)
			}
			return io.EOF
		}
		p.rows = groups[p.group].Rows()
		p.group++
	}
	n, err := p.rows.ReadRows(p.buffer)
	p.read = p.buffer[:n]
	if total := p.file.NumRows(); total > 0 {
		p.done(float64(p.given+int64(n)) / float64(total))
	}
	if errors.Is(err, io.EOF) {
		err = p.rows.Close()
		p.rows = nil
	}
	if err != nil {
		return fmt.Errorf("the Parquet file cannot be read behind row %d: %w", p.given, err)
	}
	return nil
}

// writerOf returns the function that writes a column's values. For types unknown to the library only stored describes them.
func writerOf(c *parquet.Column, stored *format.SchemaElement) (func(v parquet.Value) (cell, error), error) {
	logical := stored.LogicalType.Value
	if l := c.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	if stored.ConvertedType.Valid && stored.ConvertedType.V == deprecated.Decimal && logical == nil {
		return nil, errUnreadType(c, "DECIMAL without digits and decimals")
	}
	if stored.ConvertedType.Valid && stored.ConvertedType.V == deprecated.Interval {
		return nil, errUnreadType(c, "INTERVAL")
	}
	plain := func(text func(v parquet.Value) string) func(v parquet.Value) (cell, error) {
		return func(v parquet.Value) (cell, error) { return cell{value: text(v)}, nil }
	}
	number := wholeNumber(c.Type().Kind())
	switch l := logical.(type) {
	case *format.DecimalType:
		if l.Scale < 0 || l.Scale > l.Precision || l.Precision > maxPrecision {
			return nil, fmt.Errorf("column %q of the Parquet file has type DECIMAL(%d,%d): a table here has numbers of at most %d digits, of which none to all are decimals: "+
				"write the column as another type", c.Name(), l.Precision, l.Scale, maxPrecision)
		}
		return func(v parquet.Value) (cell, error) { return scaled(unscaled(v), int(l.Scale)) }, nil
	case *format.DateType:
		return plain(func(v parquet.Value) string { return time.Unix(int64(v.Int32())*86400, 0).UTC().Format(time.DateOnly) }), nil
	case *format.TimestampType:
		unit := l.Unit.Value.Duration()
		return func(v parquet.Value) (cell, error) { return moment(v.Int64(), unit) }, nil
	case *format.TimeType:
		unit := l.Unit.Value.Duration()
		return func(v parquet.Value) (cell, error) {
			t := time.Unix(0, number(v)*int64(unit)).UTC()
			return cell{value: t.Format("15:04:05.999999")}, checkPlaces(t, "15:04:05.999999999")
		}, nil
	case *format.IntType:
		if !l.IsSigned && c.Type().Kind() == parquet.Int64 {
			return plain(func(v parquet.Value) string { return strconv.FormatUint(v.Uint64(), 10) }), nil
		}
		if !l.IsSigned {
			return plain(func(v parquet.Value) string { return strconv.FormatUint(uint64(v.Uint32()), 10) }), nil
		}
	case *format.UUIDType:
		return func(v parquet.Value) (cell, error) { return cell{value: v.String(), isText: true}, nil }, nil
	case *format.Float16Type, *format.BsonType, *format.VariantType, *format.GeometryType, *format.GeographyType:
		return nil, errUnreadType(c, l)
	}
	switch c.Type().Kind() {
	case parquet.Boolean:
		return plain(func(v parquet.Value) string { return strconv.FormatBool(v.Boolean()) }), nil
	case parquet.Int32, parquet.Int64:
		return plain(func(v parquet.Value) string { return strconv.FormatInt(number(v), 10) }), nil
	case parquet.Int96:
		return func(v parquet.Value) (cell, error) { return julianMoment(v) }, nil
	case parquet.Float:
		return plain(func(v parquet.Value) string { return strconv.FormatFloat(float64(v.Float()), 'g', -1, 32) }), nil
	case parquet.Double:
		return plain(func(v parquet.Value) string { return strconv.FormatFloat(v.Double(), 'g', -1, 64) }), nil
	}
	return func(v parquet.Value) (cell, error) { return cell{value: string(v.ByteArray()), isText: true}, nil }, nil
}

func errUnreadType(c *parquet.Column, unread any) error {
	return fmt.Errorf("column %q of the Parquet file has type %s, which is not read: write it without that column", c.Name(), unread)
}

// wholeNumber returns a reader of 32-bit or 64-bit values.
func wholeNumber(kind parquet.Kind) func(v parquet.Value) int64 {
	if kind == parquet.Int32 {
		return func(v parquet.Value) int64 { return int64(v.Int32()) }
	}
	return parquet.Value.Int64
}

// unscaled returns a decimal's digits as an integer; bytes are big-endian two's complement.
func unscaled(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	bytes := v.ByteArray()
	n := new(big.Int).SetBytes(bytes)
	if len(bytes) > 0 && bytes[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	return n
}

// maxPrecision is the greatest number of digits of an SQL DECIMAL, and maxBits of its digits as an integer.
const (
	maxPrecision = 65
	maxBits      = 216
)

// scaled inserts the point before the last scale digits. It refuses a number with more digits than a DECIMAL has.
func scaled(n *big.Int, scale int) (cell, error) {
	if n.BitLen() > maxBits {
		return cell{}, fmt.Errorf("the number has more than %d digits: write the column as another type", maxPrecision)
	}
	digits := fmt.Sprintf("%0*d", scale+1, new(big.Int).Abs(n))
	sign, point := "", len(digits)-scale
	if n.Sign() < 0 {
		sign = "-"
	}
	if scale > 0 {
		digits = digits[:point] + "." + digits[point:]
	}
	return cell{value: sign + digits}, nil
}

// checkPlaces refuses a time that would lose digits here: SQL's moments have six places.
func checkPlaces(t time.Time, layout string) error {
	if t.Nanosecond()%1000 != 0 {
		return fmt.Errorf("%s has more than six digits of a second", t.Format(layout))
	}
	return nil
}

// moment returns the moment n units after 1970.
func moment(n int64, unit time.Duration) (cell, error) {
	perSecond := int64(time.Second / unit)
	seconds, rest := n/perSecond, n%perSecond
	return shownMoment(time.Unix(seconds, rest*int64(unit)).UTC())
}

// shownMoment refuses what SQL's moments cannot hold.
func shownMoment(t time.Time) (cell, error) {
	if err := checkPlaces(t, "2006-01-02 15:04:05.999999999"); err != nil {
		return cell{}, err
	}
	if t.Year() < 1000 || t.Year() > 9999 {
		return cell{}, fmt.Errorf("year %d is not between 1000 and 9999", t.Year())
	}
	return cell{value: t.Format("2006-01-02 15:04:05.999999")}, nil
}

// julianMoment reads the format of Hive, and of Spark before version 3: nanoseconds of a Julian day.
func julianMoment(v parquet.Value) (cell, error) {
	const epoch = 2440588 // the Julian day of 1970-01-01
	i := v.Int96()
	var day [8]byte
	binary.LittleEndian.PutUint32(day[:4], i[0])
	binary.LittleEndian.PutUint32(day[4:], i[1])
	nanoseconds := int64(binary.LittleEndian.Uint64(day[:]))
	return shownMoment(time.Unix((int64(i[2])-epoch)*86400, nanoseconds).UTC())
}
