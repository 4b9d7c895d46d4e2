package datapackage

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The Parquet library allocates what a file claims: lengths of lists, sizes of pages, numbers
// of values, lengths of runs. A file of a few bytes could claim anything. The following
// functions read these claims first and compare them with the available bytes and the permitted
// rows.

// longestFooter bounds the metadata at a file's end: ours has some hundred bytes per column.
const longestFooter = 1 << 20

// checkParquet checks the footer and every page.
func checkParquet(data []byte, t *readTable, maxRows int) error {
	meta, err := parquetFooter(data)
	if err != nil {
		return err
	}
	if err := checkSchema(meta, t); err != nil {
		return err
	}
	if meta.NumRows < 0 || meta.NumRows > int64(maxRows) {
		return errBadPackage("it has %d rows, must have at most %d", meta.NumRows, maxRows)
	}
	if meta.NumRows > 1<<20+256*int64(len(data)) {
		return errBadPackage("it says that %d bytes are %d rows", len(data), meta.NumRows)
	}
	rows := int64(0)
	for _, group := range meta.RowGroups {
		if len(group.Columns) != len(t.columns) || group.NumRows < 0 || group.NumRows > meta.NumRows-rows {
			return errBadPackage("its row groups are not as its footer says")
		}
		rows += group.NumRows
		for i := range group.Columns {
			if err := checkChunk(data, &group.Columns[i].MetaData, group.NumRows, t.columns[i].number); err != nil {
				return wrapPlace("column "+t.columns[i].name, err)
			}
		}
	}
	if rows != meta.NumRows {
		return errBadPackage("its row groups have %d rows, its footer says %d", rows, meta.NumRows)
	}
	return nil
}

func parquetFooter(data []byte) (*format.FileMetaData, error) {
	n := len(data)
	if n < 12 || string(data[:4]) != "PAR1" || string(data[n-4:]) != "PAR1" {
		return nil, errBadPackage("it is no Parquet file")
	}
	size := binary.LittleEndian.Uint32(data[n-8:])
	if size > longestFooter || int(size) > n-12 {
		return nil, errBadPackage("its footer has %d bytes", size)
	}
	footer := data[n-8-int(size) : n-8]
	meta := &format.FileMetaData{}
	return meta, decodeThrift(footer, meta)
}

// decodeThrift decodes a struct after checking its lengths.
func decodeThrift(data []byte, into any) error {
	w := walker{data: data}
	if !w.structure(0) {
		return errBadPackage("it is no Parquet that can be read: its description is broken")
	}
	decoder := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(bytes.NewReader(data[:w.at])))
	if err := decoder.Decode(into); err != nil {
		return errBadPackage("it is no Parquet that can be read: %v", err)
	}
	return nil
}

// checkSchema requires a flat list of the columns, numbers required and others optional. It
// records the decimal places.
func checkSchema(meta *format.FileMetaData, t *readTable) error {
	if len(meta.Schema) != len(t.columns)+1 || int(meta.Schema[0].NumChildren.V) != len(t.columns) {
		return errBadPackage("it has %d columns, must have %d", len(meta.Schema)-1, len(t.columns))
	}
	for i, c := range t.columns {
		element := &meta.Schema[i+1]
		repetition := format.Optional
		if c.number {
			repetition = format.Required
		}
		if element.Name != c.name || element.NumChildren.V != 0 || !element.RepetitionType.Valid || element.RepetitionType.V != repetition {
			return errBadPackage("it has not the column %s where its schema has it", c.name)
		}
		c.scale = -1
		if element.Scale.Valid && element.Scale.V >= 0 && element.Scale.V <= 18 {
			c.scale = int(element.Scale.V)
		}
	}
	return nil
}

// checkChunk checks the pages of a column chunk.
func checkChunk(data []byte, c *format.ColumnMetaData, rows int64, number bool) error {
	start := c.DataPageOffset
	if c.DictionaryPageOffset > 0 {
		start = min(start, c.DictionaryPageOffset)
	}
	if c.Codec != format.Uncompressed {
		return errBadPackage("it is compressed, by %s: this program reads what is not", c.Codec)
	}
	if start < 4 || c.TotalCompressedSize < 0 || start > int64(len(data)) || c.TotalCompressedSize > int64(len(data))-start || c.NumValues != rows {
		return errBadPackage("its pages are not as its footer says")
	}
	data = data[start : start+c.TotalCompressedSize]
	values := int64(0)
	for len(data) > 0 {
		header := &format.PageHeader{}
		w := walker{data: data}
		if !w.structure(0) || decodeThrift(data[:w.at], header) != nil {
			return errBadPackage("a page has a broken header")
		}
		data = data[w.at:]
		size := header.CompressedPageSize
		if size < 0 || int(size) > len(data) || header.UncompressedPageSize != size {
			return errBadPackage("a page has %d bytes of %d", size, len(data))
		}
		n, err := checkPage(data[:size], header, rows-values, number)
		if err != nil {
			return err
		}
		values += n
		data = data[size:]
	}
	if values != rows {
		return errBadPackage("its pages have %d values of %d", values, rows)
	}
	return nil
}

// checkPage returns the number of values of a page, at most limit.
func checkPage(body []byte, header *format.PageHeader, limit int64, number bool) (int64, error) {
	count, encoding, levels := int64(0), format.Plain, body[:0]
	switch {
	case header.Type == format.DictionaryPage && header.DictionaryPageHeader.Valid:
		if n := header.DictionaryPageHeader.V.NumValues; n < 0 || int(n) > len(body) {
			return 0, errBadPackage("a dictionary has %d values in %d bytes", n, len(body))
		}
		return 0, nil
	case header.Type == format.DataPage && header.DataPageHeader.Valid:
		h := &header.DataPageHeader.V
		count, encoding = int64(h.NumValues), h.Encoding
		if !number {
			if len(body) < 4 || uint64(binary.LittleEndian.Uint32(body)) > uint64(len(body)-4) {
				return 0, errBadPackage("a page has broken levels")
			}
			end := 4 + int(binary.LittleEndian.Uint32(body))
			levels, body = body[4:end], body[end:]
		}
	case header.Type == format.DataPageV2 && header.DataPageHeaderV2.Valid:
		h := &header.DataPageHeaderV2.V
		count, encoding = int64(h.NumValues), h.Encoding
		end := h.DefinitionLevelsByteLength
		if h.RepetitionLevelsByteLength != 0 || end < 0 || int(end) > len(body) || number && end != 0 ||
			int64(h.NumRows) != count || h.NumNulls < 0 || int64(h.NumNulls) > count {
			return 0, errBadPackage("a page has broken levels")
		}
		levels, body = body[:end], body[end:]
	default:
		return 0, errBadPackage("it has a page of type %s", header.Type)
	}
	if count < 0 || count > limit {
		return 0, errBadPackage("a page has %d values, must have at most %d", count, limit)
	}
	if !number && !runsFit(levels, 1, count) {
		return 0, errBadPackage("a page has broken levels")
	}
	if !valuesFit(body, encoding, count, number) {
		return 0, errBadPackage("a page has values in the encoding %s that are broken, or not read by this program", encoding)
	}
	return count, nil
}

// plainDictionary is old writers' name for RLEDictionary.
const plainDictionary format.Encoding = 2

func valuesFit(body []byte, encoding format.Encoding, count int64, number bool) bool {
	switch encoding {
	case format.Plain:
		return true // as many values as there are bytes
	case format.RLEDictionary, plainDictionary:
		return len(body) == 0 || body[0] <= 32 && runsFit(body[1:], int(body[0]), count)
	case format.DeltaBinaryPacked:
		block, n := binary.Uvarint(body)
		if n <= 0 {
			return false
		}
		miniblocks, m := binary.Uvarint(body[n:])
		if m <= 0 {
			return false
		}
		total, k := binary.Uvarint(body[n+m:])
		return number && k > 0 && block <= 1<<16 && miniblocks <= 1<<10 && miniblocks > 0 && total <= uint64(count)
	}
	return false
}

// runsFit checks the runs of the RLE and bit-packing hybrid with values of width bits. The last
// bit-packed run is padded to eight values.
func runsFit(data []byte, width int, count int64) bool {
	for len(data) > 0 {
		header, n := binary.Uvarint(data)
		if n <= 0 || header > math.MaxInt32 {
			return false
		}
		data = data[n:]
		run, size := int64(header>>1), int64(width+7)/8
		if header&1 == 1 {
			size, run = run*int64(width), run*8
		}
		if size > int64(len(data)) || run > count+8 {
			return false
		}
		data, count = data[size:], max(0, count-run)
	}
	return true
}

// deepest bounds the nesting of structs and lists in metadata.
const deepest = 24

// A walker skips values of Thrift's compact protocol and stops where a length exceeds the
// remaining bytes.
type walker struct {
	data []byte
	at   int
}

func (w *walker) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(w.data[w.at:])
	if n <= 0 {
		return 0, false
	}
	w.at += n
	return v, true
}

func (w *walker) skip(n uint64) bool {
	if n > uint64(len(w.data)-w.at) {
		return false
	}
	w.at += int(n)
	return true
}

func (w *walker) structure(depth int) bool {
	for depth < deepest && w.at < len(w.data) {
		header := w.data[w.at]
		w.at++
		if header == 0 {
			return true
		}
		if header>>4 == 0 {
			if _, ok := w.uvarint(); !ok {
				return false
			}
		}
		kind := header & 15
		if kind == 1 || kind == 2 {
			continue // a boolean is in its field's header
		}
		if !w.value(kind, depth) {
			return false
		}
	}
	return false
}

func (w *walker) value(kind byte, depth int) bool {
	switch kind {
	case 1, 2, 3:
		return w.skip(1)
	case 4, 5, 6:
		_, ok := w.uvarint()
		return ok
	case 7:
		return w.skip(8)
	case 8:
		n, ok := w.uvarint()
		return ok && w.skip(n)
	case 9, 10:
		return w.list(depth)
	case 12:
		return w.structure(depth + 1)
	}
	return false // a map, which Parquet does not use
}

func (w *walker) list(depth int) bool {
	if w.at >= len(w.data) || depth >= deepest {
		return false
	}
	header := w.data[w.at]
	w.at++
	n, ok := uint64(header>>4), true
	if n == 15 {
		n, ok = w.uvarint()
	}
	if !ok || n > uint64(len(w.data)-w.at) {
		return false
	}
	for range n {
		if !w.value(header&15, depth+1) {
			return false
		}
	}
	return true
}
