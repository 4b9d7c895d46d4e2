package values

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/tree"
)

// MaxDigits is the greatest length, in bytes, of a text that is read as a number, and MaxExponent its greatest
// exponent, of ten or of two. DECIMAL has 65 digits and DOUBLE exponents up to 308. The time to read longer numbers
// grows with the square of the length, and nothing interrupts it.
const (
	MaxDigits   = 1000
	MaxExponent = 9999
)

// numberIllegal is MySQL's number of the error.
const numberIllegal = 1367

// digits matches a number up to its exponent. far matches an exponent that is too large.
var (
	digits = regexp.MustCompile(`^\s*[-+]?(?:0[xX][0-9a-fA-F_.]*|0[bBoO][0-9_.]*|[0-9_.]*)`)
	far    = regexp.MustCompile(`^[eEpP][-+]?[0_]*[1-9][0-9_]{4,}`)
)

// CheckNumber refuses a number with too many digits, or too large an exponent. A text that is no number passes: the
// engine rejects it at once.
func CheckNumber(text string) error {
	if len(text) < len("1e10000") {
		return nil
	}
	head := text[:min(len(text), MaxDigits+1)]
	n := len(digits.FindString(head))
	if n > MaxDigits {
		return illegal(fmt.Sprintf("it has more than %d digits", MaxDigits), text)
	}
	if n > 0 && far.MatchString(text[n:min(len(text), n+MaxDigits)]) || exponentBehind(text, n) {
		return illegal(fmt.Sprintf("its exponent is greater than %d", MaxExponent), text)
	}
	return nil
}

// exponentBehind recognises a long exponent with more leading zeros than far may read.
func exponentBehind(text string, n int) bool {
	if n == 0 || len(text) <= n+MaxDigits || !strings.ContainsRune("eEpP", rune(text[n])) {
		return false
	}
	rest := strings.TrimLeft(text[n+1:], "+-")
	return len(rest)-len(strings.TrimLeft(rest, "0123456789_")) >= MaxDigits/2
}

func illegal(why, text string) error {
	return mysql.NewSQLError(
		numberIllegal,
		"22007",
		"Illegal number value found during parsing: %s (%.20s...); shorten it, LEFT(text, %d)",
		why,
		text,
		MaxDigits,
	)
}

// Number wraps e where it is read as a number. It refuses a text with too many digits before anything reads it.
func Number(e sql.Expression) sql.Expression { return &digitsOf{tree.NewStandin(e)} }

// IsNumber reports whether e was made by Number.
func IsNumber(e sql.Expression) bool {
	_, ok := e.(*digitsOf)
	return ok
}

type digitsOf struct{ tree.Standin }

var _ sql.CollationCoercible = (*digitsOf)(nil)

func (d *digitsOf) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := d.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		err = CheckNumber(v)
	case []byte:
		err = CheckNumber(string(v[:min(len(v), 3*MaxDigits)]))
	case types.JSONDocument:
		if text, ok := v.Val.(string); ok {
			err = CheckNumber(text)
		}
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (d *digitsOf) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(d, children)
}
