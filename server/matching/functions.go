package matching

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/regularexpression"
)

// Bounds are the server's bounds on results.
type Bounds struct {
	// Most returns the greatest length of a result, in bytes. Required.
	Most func() int64
	// TooLong returns the value of a function whose result would be longer than most. Required.
	TooLong func(ctx *sql.Context, function string, most int64) (any, error)
}

// A function is one of MySQL's functions. Its roles are its arguments, in their order.
type function struct {
	name  string
	roles []role
	least int // number of arguments
	// typ is nil for the type of the text: LONGTEXT, or LONGBLOB for a binary string.
	typ    sql.Type
	answer func(*request) (any, error)
	// strict functions refuse positions below 1 with error 1583 instead of 3686.
	strict bool
}

type role int

const (
	subject role = iota
	pattern
	replacement
	position
	occurrence
	returnOption
	matchType
)

// Functions returns functions that replace the engine's.
func Functions(bounds Bounds) []sql.Function {
	list := []*function{
		{name: "regexp_like", roles: []role{subject, pattern, matchType}, least: 2, typ: types.Boolean, answer: like},
		{name: "regexp_instr", roles: []role{subject, pattern, position, occurrence, returnOption, matchType}, least: 2, typ: types.Int32, answer: instr},
		{name: "regexp_substr", roles: []role{subject, pattern, position, occurrence, matchType}, least: 2, answer: substr, strict: true},
		{name: "regexp_replace", roles: []role{subject, pattern, replacement, position, occurrence, matchType}, least: 3, answer: replace, strict: true},
	}
	shared := &library{}
	functions := make([]sql.Function, len(list))
	for i, f := range list {
		functions[i] = sql.FunctionN{Name: f.name, Fn: func(given ...sql.Expression) (sql.Expression, error) { return newCall(f, &bounds, shared, given) }}
	}
	return functions
}

// A request is a call with the values of its arguments.
type request struct {
	*sql.Context
	bounds   *Bounds
	function *function
	question
	text     string
	compiled *regularexpression.Pattern
}

// A question has all arguments of a call except the text.
type question struct {
	pattern, replacement             string
	flags                            regularexpression.Flags
	position, occurrence, returnWhat int64
}

func like(r *request) (any, error) {
	found, err := r.compiled.Like(r, r.text)
	if err != nil {
		return nil, err
	}
	if found {
		return int8(1), nil
	}
	return int8(0), nil
}

func instr(r *request) (any, error) {
	places, found, err := r.compiled.Find(r, r.text, r.position, r.occurrence, 0)
	if err != nil {
		return nil, err
	}
	if !found {
		return int32(0), nil
	}
	return int32(regularexpression.Position(r.text, places[r.returnWhat])), nil
}

func substr(r *request) (any, error) {
	places, found, err := r.compiled.Find(r, r.text, r.position, r.occurrence, 0)
	if err != nil || !found {
		return nil, err
	}
	return r.text[places[0]:places[1]], nil
}

func replace(r *request) (any, error) {
	most := r.bounds.Most()
	text, fits, err := r.compiled.Replace(r, r.text, r.replacement, r.position, r.occurrence, int(most))
	if err != nil {
		return nil, err
	}
	if !fits {
		return r.bounds.TooLong(r.Context, r.function.name, most)
	}
	return text, nil
}
