package documents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
)

// searchTexts is JSON_SEARCH: the paths of the strings that match a LIKE pattern, case-sensitively.
func searchTexts(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	v := make([]any, len(c.Operands))
	for i := range c.Operands {
		var err error
		if v[i], err = c.Argument(i, ctx, row); err != nil || v[i] == nil && i != escapePlace {
			return nil, err
		}
	}
	doc, err := documentOf(c, 0, v[0])
	if err != nil {
		return nil, err
	}
	all, err := allOf(c, ctx, v[1])
	if err != nil {
		return nil, err
	}
	matches, err := pattern(c, ctx, v)
	if err != nil {
		return nil, err
	}
	paths := []path{{}}
	if len(v) > escapePlace+1 {
		paths = paths[:0]
	}
	for i := escapePlace + 1; i < len(v); i++ {
		p, err := pathOf(c, ctx, i, v[i])
		if err != nil {
			return nil, err
		}
		paths = append(paths, p)
	}
	most := values.MaxPacket()
	found, size, err := textsBelow(ctx, doc, paths, matches, all, most)
	switch {
	case err != nil || len(found) == 0:
		return nil, err
	case size > most:
		return values.TooLong(ctx, c.Name, most)
	case len(found) == 1:
		return types.JSONDocument{Val: found[0]}, nil
	}
	return types.JSONDocument{Val: found}, nil
}

const escapePlace = 3

// textsBelow returns the paths of the matching strings at and below the given paths, each once, and their length together. Unless all is set, it
// returns only the first. It stops behind most bytes, and ends with the statement.
func textsBelow(ctx *sql.Context, doc any, paths []path, matches func(string) bool, all bool, most int64) (found []any, size int64, err error) {
	known := map[string]bool{}
	for _, p := range paths {
		below := append(slices.Clip(p), leg{kind: anyDepth})
		err := below.walk(doc, true, func(v any, way []any) bool {
			if text, ok := v.(string); ok && matches(text) {
				if place := written(way); !known[place] {
					known[place], found = true, append(found, place)
					size += int64(len(place))
				}
			}
			return (all || len(found) == 0) && size <= most && ctx.Err() == nil
		})
		if err = cmp.Or(err, ctx.Err()); err != nil || !all && len(found) > 0 || size > most {
			return found, size, err
		}
	}
	return found, size, nil
}

// allOf parses the argument oneOrAll.
func allOf(c *builtin.Call, ctx *sql.Context, v any) (all bool, err error) {
	how, err := coercion.Text(ctx, v, c.OperandType(1))
	if err != nil {
		return false, err
	}
	all = strings.EqualFold(how, "all")
	if !all && !strings.EqualFold(how, "one") {
		err = sqlerror.New(oneOrAll, fmt.Sprintf("The oneOrAll argument to %s may take these values: 'one' or 'all'.", c.Name))
	}
	return all, err
}

// pattern returns the matcher of the third and fourth arguments of JSON_SEARCH: pattern and escape character.
func pattern(c *builtin.Call, ctx *sql.Context, v []any) (func(string) bool, error) {
	text, err := coercion.Text(ctx, v[2], c.OperandType(2))
	if err != nil {
		return nil, err
	}
	escape := '\\'
	if len(v) > escapePlace && v[escapePlace] != nil {
		given, err := coercion.Text(ctx, v[escapePlace], c.OperandType(escapePlace))
		if err != nil {
			return nil, err
		}
		if utf8.RuneCountInString(given) > 1 {
			return nil, sqlerror.New(wrongArguments, "Incorrect arguments to ESCAPE")
		}
		if given != "" {
			escape, _ = utf8.DecodeRuneInString(given)
		}
	}
	matcher, err := expression.ConstructLikeMatcher(sql.Collation_utf8mb4_bin, text, escape)
	return matcher.Match, err
}
