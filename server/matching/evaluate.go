package matching

import (
	"errors"
	"fmt"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/regularexpression"
)

func (c *call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	given, text, err := c.read(ctx, row)
	if given == nil || err != nil {
		return nil, numbered(err)
	}
	compiled, err := c.patterns.compile(given.pattern, given.flags)
	if err != nil {
		return nil, numbered(err)
	}
	if text == nil {
		return nil, nil
	}
	if kept, ok := c.answers.get(given, *text); ok {
		return kept, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	answer, err := c.function.answer(&request{ctx, c.bounds, c.function, *given, *text, compiled})
	if err != nil {
		return nil, numbered(err)
	}
	if found, ok := answer.(string); ok && c.isBinary() {
		answer = []byte(found)
	}
	c.answers.put(given, *text, answer)
	return answer, nil
}

// numbered turns errors of patterns into MySQL's errors.
func numbered(err error) error {
	var own *regularexpression.Error
	if !errors.As(err, &own) {
		return err
	}
	state := mysql.SSUnknownSQLState // HY000
	if own.Number == regularexpression.WrongParameters {
		state = "42000"
	}
	return &mysql.SQLError{Num: own.Number, State: state, Message: own.Message}
}

// read evaluates the arguments. The question is nil if an argument other than the text is NULL. The text is nil if it
// is NULL.
func (c *call) read(ctx *sql.Context, row sql.Row) (*question, *string, error) {
	q := &question{position: 1, occurrence: 1}
	if c.function.name == "regexp_replace" {
		q.occurrence = 0
	}
	var text, letters *string
	missing := false
	for i, argument := range c.Operands {
		v, err := argument.Eval(ctx, row)
		if err != nil {
			return nil, nil, err
		}
		if v, err = sql.UnwrapAny(ctx, v); err != nil {
			return nil, nil, err
		}
		r := c.function.roles[i]
		if v == nil {
			missing = missing || r != subject
			continue
		}
		switch r {
		case subject:
			text, err = asText(ctx, v)
		case matchType:
			letters, err = asText(ctx, v)
		case pattern:
			err = setText(ctx, &q.pattern, v)
		case replacement:
			err = setText(ctx, &q.replacement, v)
		case position:
			q.position, err = asWhole(ctx, v)
		case occurrence:
			q.occurrence, err = asWhole(ctx, v)
		case returnOption:
			q.returnWhat, err = asWhole(ctx, v)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if missing {
		return nil, nil, nil
	}
	if err := c.check(q); err != nil {
		return nil, nil, err
	}
	if letters == nil {
		q.flags.IgnoreCase = c.ignoresCase(ctx)
		return q, text, nil
	}
	var err error
	q.flags, err = regularexpression.MatchType(*letters, c.ignoresCase(ctx), c.function.name)
	return q, text, err
}

// check refuses arguments that MySQL refuses, with its error numbers.
func (c *call) check(q *question) error {
	switch {
	case q.returnWhat != 0 && q.returnWhat != 1:
		return &regularexpression.Error{Number: regularexpression.WrongArguments,
			Message: fmt.Sprintf("Incorrect arguments to regexp_instr: return_option is %d, must be 1 or 0.", q.returnWhat)}
	case q.position < 1 && c.function.strict:
		return &regularexpression.Error{Number: regularexpression.WrongParameters,
			Message: fmt.Sprintf(
				"Incorrect parameters in the call to native function '%s': the position is %d, must be at least 1",
				c.function.name,
				q.position,
			)}
	}
	return nil
}

// asText keeps the bytes of a binary string, also those that are not UTF-8.
func asText(ctx *sql.Context, v any) (*string, error) {
	switch v := v.(type) {
	case string:
		return &v, nil
	case []byte:
		text := string(v)
		return &text, nil
	}
	converted, _, err := types.LongText.Convert(ctx, v)
	if err != nil {
		return nil, err
	}
	text, _, err := sql.Unwrap[string](ctx, converted)
	return &text, err
}

func setText(ctx *sql.Context, to *string, v any) error {
	text, err := asText(ctx, v)
	if err == nil {
		*to = *text
	}
	return err
}

// asWhole saturates, so that no number overflows.
func asWhole(ctx *sql.Context, v any) (int64, error) {
	converted, _, err := types.Float64.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	number, ok := converted.(float64)
	if !ok || math.IsNaN(number) {
		return 0, nil
	}
	return int64(math.Round(max(min(number, math.MaxInt32), math.MinInt32))), nil
}
