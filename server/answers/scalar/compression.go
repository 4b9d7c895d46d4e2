package scalar

import (
	"compress/zlib"
	"encoding/binary"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/values"
)

// compression returns UNCOMPRESS. The engine's reads at most 32 KiB, and fails for bytes that are not compressed.
func compression() []*builtin.Definition {
	return []*builtin.Definition{{Name: "uncompress", Least: 1, Most: 1, Type: builtin.Constant(types.LongBlob), Value: uncompress}}
}

// lengthBytes is the size of the length before compressed bytes. lengthMask masks its two highest bits, which mean nothing.
const lengthBytes, lengthMask = 4, 1<<30 - 1

// MySQL's warning numbers ER_TOO_BIG_FOR_UNCOMPRESS, ER_ZLIB_Z_BUF_ERROR and ER_ZLIB_Z_DATA_ERROR.
const tooBigToUncompress, smallBuffer, corruptData = 1256, 1258, 1259

// uncompress returns NULL with a warning for bytes that COMPRESS did not make, and for results longer than a packet.
func uncompress(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	s, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	if s == "" {
		return []byte{}, nil
	}
	corrupt := func() (any, error) {
		ctx.Warn(corruptData, "ZLIB: Input data corrupted")
		return nil, nil
	}
	if len(s) <= lengthBytes {
		return corrupt()
	}
	length, most := int64(binary.LittleEndian.Uint32([]byte(s[:lengthBytes]))&lengthMask), values.MaxPacket()
	if length > most {
		ctx.Warn(tooBigToUncompress, "Uncompressed data size too large; the maximum size is %d (probably, length of uncompressed data was corrupted)", most)
		return nil, nil
	}
	reader, err := zlib.NewReader(strings.NewReader(s[lengthBytes:]))
	if err != nil {
		return corrupt()
	}
	read, err := io.ReadAll(io.LimitReader(reader, length+1))
	switch {
	case err != nil:
		return corrupt()
	case int64(len(read)) > length:
		ctx.Warn(smallBuffer, "ZLIB: Not enough room in the output buffer (probably, length of uncompressed data was corrupted)")
		return nil, nil
	}
	return read, nil
}
