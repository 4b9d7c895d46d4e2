package answers

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/spatial"

	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/tree"
)

// The engine reads geometries recursively, and scans nested collections in a text to
// the end for each. So texts and bytes that nest deeper than any map are refused
// before, also those that are not literals of a statement.

// maxGeometryDepth bounds the nesting of parentheses in a text, and of geometries in
// bytes.
const maxGeometryDepth = 100

// geometryFunctions are the engine's readers of texts and bytes.
func geometryFunctions() []sql.Function {
	readers := map[string]func(...sql.Expression) (sql.Expression, error){
		"st_geomcollfromtext": spatial.NewGeomCollFromText, "st_geomcollfromtxt": spatial.NewGeomCollFromText,
		"st_geometrycollectionfromtext": spatial.NewGeomCollFromText, "st_geometryfromtext": spatial.NewGeomFromText,
		"st_geomfromtext": spatial.NewGeomFromText, "st_geomfromgeojson": spatial.NewGeomFromGeoJSON,
		"st_geomcollfromwkb": spatial.NewGeomCollFromWKB, "st_geometrycollectionfromwkb": spatial.NewGeomCollFromWKB,
		"st_geometryfromwkb": spatial.NewGeomFromWKB, "st_geomfromwkb": spatial.NewGeomFromWKB,
	}
	var list []sql.Function
	for name, read := range readers {
		list = append(list, sql.FunctionN{Name: name, Fn: func(given ...sql.Expression) (sql.Expression, error) {
			if len(given) > 0 {
				given = append([]sql.Expression{&shallowGeometry{tree.NewStandin(given[0]), name}}, given[1:]...)
			}
			return read(given...)
		}})
	}
	return list
}

// shallowGeometry is a text or bytes of a geometry; it fails if they nest too deep.
type shallowGeometry struct {
	tree.Standin
	reader string
}

var _ sql.CollationCoercible = (*shallowGeometry)(nil)

func (s *shallowGeometry) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := s.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	depth, sound, inBytes := 0, true, strings.HasSuffix(s.reader, "wkb")
	switch v := value.(type) {
	case string:
		if inBytes {
			depth, sound = bytesDepth([]byte(v))
		} else {
			depth = textDepth(v)
		}
	case []byte:
		if inBytes {
			depth, sound = bytesDepth(v)
		} else {
			depth = textDepth(string(v))
		}
	}
	if depth > maxGeometryDepth {
		return nil, sqlerror.New(sqlerror.BadParameter, fmt.Sprintf("%s: the geometry nests %d deep or deeper, at most %d", s.reader, depth, maxGeometryDepth))
	}
	if !sound {
		return nil, sqlerror.New(sqlerror.InvalidGeometry, fmt.Sprintf("Invalid GIS data provided to function %s", s.reader))
	}
	return value, nil
}

// textDepth is the nesting depth of brackets of all kinds.
func textDepth(given string) (deepest int) {
	depth := 0
	for i := range len(given) {
		switch given[i] {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth--
		}
	}
	return deepest
}

// Kinds of geometries in bytes: those before multiPoint contain points, the others
// geometries, each with a head of its own.
const (
	wkbHead    = 5 // byte order and kind
	wkbPoint   = 1
	wkbPolygon = 3
	multiPoint = 4
	collection = 7
	pointBytes = 16
)

// bytesDepth is the nesting depth of well-known binary, up to a malformed part. ok is
// false if a count exceeds the remaining bytes: the engine would allocate memory for so
// many.
func bytesDepth(given []byte) (deepest int, ok bool) {
	var left []uint32 // remaining members of each open geometry
	for len(given) >= wkbHead {
		var order binary.ByteOrder = binary.LittleEndian
		if given[0] == 0 {
			order = binary.BigEndian
		}
		kind := order.Uint32(given[1:])
		given = given[wkbHead:]
		switch {
		case kind >= multiPoint && kind <= collection && len(given) >= 4:
			count := order.Uint32(given)
			if given = given[4:]; uint64(count)*wkbHead > uint64(len(given)) {
				return deepest, false
			}
			left = append(left, count)
			deepest = max(deepest, len(left))
		default:
			var ok bool
			if given, ok = behindPoints(given, order, kind); !ok {
				return deepest, false
			}
			if len(left) > 0 {
				left[len(left)-1]--
			}
		}
		for len(left) > 0 && left[len(left)-1] == 0 {
			if left = left[:len(left)-1]; len(left) > 0 {
				left[len(left)-1]--
			}
		}
		if len(left) == 0 || deepest > maxGeometryDepth {
			return deepest, true
		}
	}
	return deepest, true
}

// behindPoints skips a point, a line or a polygon.
func behindPoints(given []byte, order binary.ByteOrder, kind uint32) ([]byte, bool) {
	if kind == wkbPoint {
		return past(given, pointBytes)
	}
	lines, ok := uint32(1), true
	if kind == wkbPolygon {
		if len(given) < 4 {
			return nil, false
		}
		lines, given = order.Uint32(given), given[4:]
	}
	for ; lines > 0 && ok; lines-- {
		if len(given) < 4 {
			return nil, false
		}
		given, ok = past(given[4:], uint64(order.Uint32(given))*pointBytes)
	}
	return given, ok
}

func past(given []byte, n uint64) ([]byte, bool) {
	if uint64(len(given)) < n {
		return nil, false
	}
	return given[n:], true
}

func (s *shallowGeometry) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(s, children)
}
