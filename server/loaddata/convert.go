package loaddata

import (
	"bytes"
	"context"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/catalog/delimited"
)

// A converter makes values of one column's type. Columns of microdata often repeat values, so it caches them: a
// cached value costs one look-up and no allocation. It is not safe for concurrent use.
type converter struct {
	convert func(ctx context.Context, b []byte) (any, *problem)

	remembered map[string]any // nil if the column rarely repeats values
	hits       int
}

// Bounds of a converter's cache: the number of values, and the bytes of one.
const (
	rememberValues = 4096
	rememberBytes  = 64
)

func newConverter(typ sql.Type) converter {
	c := converter{convert: conversion(typ)}
	if !types.IsBinaryType(typ) && !types.IsJSON(typ) {
		c.remembered = make(map[string]any)
	}
	return c
}

// value converts b, which belongs to the caller.
func (c *converter) value(ctx context.Context, b []byte) (any, *problem) {
	if c.remembered == nil || len(b) > rememberBytes {
		return c.convert(ctx, b)
	}
	if v, ok := c.remembered[string(b)]; ok {
		c.hits++
		return v, nil
	}
	v, p := c.convert(ctx, b)
	switch {
	case p != nil:
	case len(c.remembered) < rememberValues:
		c.remembered[string(b)] = v
	case c.hits < rememberValues:
		c.remembered = nil
	}
	return v, p
}

// conversion returns the conversion of a type. The engine converts TIME, YEAR, ENUM, SET, BIT and geometry.
func conversion(typ sql.Type) func(context.Context, []byte) (any, *problem) {
	if i, ok := integers[typ.Type()]; ok {
		return i.convert
	}
	switch t := typ.(type) {
	case declared.Column:
		return declaredAs(t)
	case sql.DecimalType:
		return decimals(t)
	case sql.StringType:
		return texts(t)
	case sql.DatetimeType:
		return datetimes(t)
	}
	switch {
	case types.IsFloat(typ):
		return floats(typ)
	case types.IsJSON(typ):
		return documents
	case types.IsTimespan(typ):
		return timespans(typ)
	case typ.Type() == query.Type_YEAR:
		return years(typ)
	}
	return engine(typ, problem{number: numberTruncated})
}

// engine converts as the engine does for INSERT of a string.
func engine(typ sql.Type, p problem) func(context.Context, []byte) (any, *problem) {
	return func(ctx context.Context, b []byte) (any, *problem) {
		v, in, err := typ.Convert(ctx, string(b))
		switch {
		case err != nil:
			return nil, &p
		case !bool(in):
			return nil, &problem{number: numberOutOfRange}
		}
		return v, nil
	}
}

// years accepts digits alone: the engine drops a fraction.
func years(typ sql.Type) func(context.Context, []byte) (any, *problem) {
	wrong := problem{number: numberWrongValue, what: "year"}
	convert := engine(typ, wrong)
	return func(ctx context.Context, b []byte) (any, *problem) {
		if len(bytes.Trim(b, "0123456789")) > 0 {
			return nil, &wrong
		}
		return convert(ctx, b)
	}
}

// declaredAs reads a value as the engine's type, and rounds it as its column does.
func declaredAs(column declared.Column) func(context.Context, []byte) (any, *problem) {
	if _, ok := column.(declared.Time); ok {
		return timespans(column)
	}
	read := conversion(column.Read())
	return func(ctx context.Context, b []byte) (any, *problem) {
		v, wrong := read(ctx, b)
		if wrong != nil {
			return nil, wrong
		}
		rounded, in, err := column.Convert(ctx, v)
		if err != nil || !bool(in) {
			return nil, &problem{number: numberOutOfRange}
		}
		return rounded, nil
	}
}

// documents parses JSON and keeps integers exact.
func documents(_ context.Context, b []byte) (any, *problem) {
	v, err := coding.ReadDocument(string(b))
	if err != nil {
		return nil, &problem{number: numberBadJSON}
	}
	return types.JSONDocument{Val: v}, nil
}

// texts checks the length: in bytes for TEXT and BLOB, in characters for other types.
func texts(t sql.StringType) func(context.Context, []byte) (any, *problem) {
	tooLong := &problem{number: numberTooLong}
	binary := types.IsBinaryType(t)
	limit, bytesOnly := t.MaxCharacterLength(), binary
	if types.IsTextBlob(t) {
		limit, bytesOnly = t.MaxByteLength(), true
	}
	return func(ctx context.Context, b []byte) (any, *problem) {
		if int64(len(b)) > limit && (bytesOnly || int64(utf8.RuneCount(b)) > limit) {
			return nil, tooLong
		}
		if !binary {
			return string(b), nil
		}
		v, _, err := t.Convert(ctx, append([]byte(nil), b...))
		if err != nil {
			return nil, tooLong
		}
		return v, nil
	}
}

// floats accepts decimal notation only: no infinities, no hexadecimal.
func floats(typ sql.Type) func(context.Context, []byte) (any, *problem) {
	single := typ.Type() == query.Type_FLOAT32
	wrong := &problem{number: numberWrongValue, what: "double"}
	beyond := &problem{number: numberOutOfRange}
	return func(_ context.Context, b []byte) (any, *problem) {
		b = delimited.Trim(b)
		if !isNumeral(b) {
			return nil, wrong
		}
		v, err := strconv.ParseFloat(string(b), 64)
		switch {
		case math.IsInf(v, 0):
			return nil, beyond
		case err != nil:
			return nil, wrong
		case !single:
			return v, nil
		case math.Abs(v) > math.MaxFloat32:
			return nil, beyond
		}
		return float32(v), nil
	}
}

// isNumeral reports whether b has only characters of decimal notation.
func isNumeral(b []byte) bool {
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9', c == '+', c == '-', c == '.', c == 'e', c == 'E':
		default:
			return false
		}
	}
	return len(b) > 0
}
