package tabular

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// checkPages refuses pages of more bytes, or of more values, than the library may hold. It allocates what a page claims, and what its data unpack to.
// A page that it cannot read is left to the library, which reads the same bytes.
func checkPages(r io.ReaderAt, file *format.FileMetaData, most int64) error {
	for _, group := range file.RowGroups {
		for _, chunk := range group.Columns {
			m := chunk.MetaData
			start := m.DataPageOffset
			if m.DictionaryPageOffset != 0 {
				start = m.DictionaryPageOffset
			}
			if err := checkChunk(bufio.NewReader(io.NewSectionReader(r, start, m.TotalCompressedSize)), m.Codec, most); err != nil {
				return fmt.Errorf("column %q of the Parquet file %w", m.PathInSchema, err)
			}
		}
	}
	return nil
}

func checkChunk(in *bufio.Reader, codec format.CompressionCodec, most int64) error {
	for {
		var h format.PageHeader
		if thrift.NewDecoder((&thrift.CompactProtocol{}).NewReader(in)).Decode(&h) != nil || h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 {
			return nil
		}
		values := max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues)
		if int64(max(h.UncompressedPageSize, h.CompressedPageSize)) > most || int64(values) > most/4 {
			return fmt.Errorf("has a page of %d bytes and %d values, at most %d MiB and a value for 4 bytes of these are read: write it anew with smaller pages",
				h.UncompressedPageSize, values, most>>20)
		}
		page, err := io.ReadAll(io.LimitReader(in, int64(h.CompressedPageSize)))
		if err != nil {
			return nil
		}
		size := int64(h.UncompressedPageSize)
		if v2 := h.DataPageHeaderV2; v2.Valid { // its levels are not packed
			levels := int64(v2.V.DefinitionLevelsByteLength) + int64(v2.V.RepetitionLevelsByteLength)
			if levels < 0 || levels > int64(len(page)) {
				return nil
			}
			page = page[levels:]
			if c := v2.V.IsCompressed; c.Valid && !c.V {
				continue
			}
		}
		if unpacksBeyond(page, codec, size) {
			return fmt.Errorf("is damaged: a page unpacks to more than the %d bytes that it says", size)
		}
	}
}

// unpacksBeyond reports whether a page unpacks to more bytes. It keeps none of them.
func unpacksBeyond(page []byte, codec format.CompressionCodec, most int64) bool {
	var r io.Reader
	switch codec {
	case format.Zstd:
		d, err := zstd.NewReader(bytes.NewReader(page), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return false
		}
		defer d.Close()
		r = d
	case format.Gzip:
		d, err := gzip.NewReader(bytes.NewReader(page))
		if err != nil {
			return false
		}
		r = d
	case format.Snappy: // begins with the number
		n, _ := binary.Uvarint(page)
		return n > uint64(most)
	case format.Lz4Raw:
		return lz4Length(page) > most
	default:
		return false
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(r, most+1)) // the library reports an error
	return n > most
}

// lz4Length returns the number of bytes of a block of LZ4, a huge one for a damaged block: the library doubles its memory until such a block fits.
func lz4Length(b []byte) (n int64) {
	const damaged = 1 << 62
	length := func(first byte) (n int64) {
		n = int64(first)
		for more := first == 15; more && len(b) > 0; b = b[1:] {
			n, more = n+int64(b[0]), b[0] == 255
		}
		return n
	}
	for len(b) > 0 {
		token := b[0]
		b = b[1:]
		literals := length(token >> 4)
		if literals > int64(len(b)) {
			return damaged
		}
		if n, b = n+literals, b[literals:]; len(b) == 0 {
			return n
		}
		if len(b) < 2 {
			return damaged
		}
		offset := int64(binary.LittleEndian.Uint16(b))
		if b = b[2:]; offset == 0 || offset > n {
			return damaged
		}
		n += length(token&15) + 4
	}
	return damaged
}
