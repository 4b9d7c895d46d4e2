package plainsql

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/planner/answer"
)

// compare writes left operator right, by the rule for their types.
func (w *writer) compare(left, right sql.Expression, operator string) (string, error) {
	l, r, err := w.comparable(left, right, operator != "=" && operator != "<>")
	if err != nil {
		return "", err
	}
	return "(" + l + " " + operator + " " + r + ")", nil
}

// comparable writes two expressions so that both dialects compare them as the server compares their values. ordering
// means that the comparison needs more than equality.
func (w *writer) comparable(left, right sql.Expression, ordering bool) (l, r string, err error) {
	defer w.keepPlaces()()
	a, b := classOf(left.Type()), classOf(right.Type())
	switch {
	case a == nullClass || b == nullClass, a == numberClass && b == numberClass:
	case a == textClass && b == textClass:
		return w.comparableTexts(left, right, ordering)
	case isInstant(a) && b == textClass && oneValue(right):
		if l, err = w.expression(left); err == nil {
			r, err = w.instantLiteral(right, a)
		}
		return l, r, err
	case isInstant(b) && a == textClass && oneValue(left):
		r, l, err = w.comparable(right, left, ordering)
		return l, r, err
	case isInstant(a) && isInstant(b) && oneValue(right):
		if l, err = w.expression(left); err == nil {
			r, err = w.instantLiteral(right, a)
		}
		return l, r, err
	case a == b && isInstant(a):
	default:
		return "", "", refusePlain("%s compared with %s (%s is %s, %s is %s)", left, right, left, orType(a, left), right, orType(b, right))
	}
	if l, err = w.expression(left); err == nil {
		r, err = w.expression(right)
	}
	return l, r, err
}

func isInstant(c valueClass) bool { return c == dayClass || c == momentClass }

func orType(c valueClass, e sql.Expression) string {
	if name := className(c); name != "" {
		return name
	}
	return "a " + e.Type().String()
}

// instantLiteral writes a constant as the text of a date of a class, so that dates compare as texts.
func (w *writer) instantLiteral(e sql.Expression, class valueClass) (string, error) {
	if countsInstants(e) {
		return "", refusePlain("%s, which calculates with a date or time", e)
	}
	value, err := e.Eval(w.ctx, nil)
	if err != nil || value == nil {
		return "NULL", err
	}
	converted, _, err := types.DatetimeMaxPrecision.Convert(w.ctx, value)
	moment, ok := converted.(time.Time)
	if err != nil || !ok {
		return "", refusePlain("a comparison of a date with %s, which is none", e)
	}
	day := class == dayClass && moment.Equal(moment.Truncate(24*time.Hour))
	return "'" + instantText(moment, day) + "'", nil
}

func (w *writer) comparableTexts(left, right sql.Expression, ordering bool) (l, r string, err error) {
	if l, err = w.expression(left); err != nil {
		return "", "", err
	}
	if r, err = w.expression(right); err != nil {
		return "", "", err
	}
	if !w.foldTogether(left, right) || !ordering && (caseless(left) || caseless(right)) {
		return l, r, nil
	}
	allowed := asciiTexts
	if ordering {
		allowed = plainTexts
	}
	if !w.textsAre(left, allowed) || !w.textsAre(right, allowed) {
		return "", "", refusePlain("%s compared with %s under a collation that ignores case, with more than %s", left, right, allowed)
	}
	return "LOWER(" + l + ")", "LOWER(" + r + ")", nil
}

// foldTogether reports whether the server ignores case when it compares two texts.
func (w *writer) foldTogether(left, right sql.Expression) bool {
	a, i := w.collationOf(left)
	b, j := w.collationOf(right)
	collation, _ := sql.ResolveCoercibility(a, i, b, j)
	return IgnoresCase(collation)
}

// caseless reports whether e is a text of digits, which is equal only to itself.
func caseless(e sql.Expression) bool {
	constant, ok := e.(*expression.Literal)
	if !ok {
		return false
	}
	text, ok := constant.Value().(string)
	return ok && text != "" && strings.Trim(text, "0123456789") == ""
}

// collationOf determines the collation as the estimator does: over fields.
func (w *writer) collationOf(e sql.Expression) (collation sql.CollationID, coercibility byte) {
	over, err := overFields(e)
	if err != nil {
		return sql.Collation_binary, 7
	}
	return sql.GetCoercibility(w.ctx, over)
}

// folds reports whether the server ignores case when it compares values of a text.
func (w *writer) folds(e sql.Expression) bool {
	if collated, ok := e.(*expression.CollatedExpression); ok {
		collation, _ := w.collationOf(collated)
		return IgnoresCase(collation)
	}
	return foldsCase(e.Type())
}

// foldsCase reports whether comparisons of texts of a type ignore case.
func foldsCase(typ sql.Type) bool {
	text, ok := typ.(sql.TypeWithCollation)
	return ok && types.IsTextOnly(typ) && IgnoresCase(text.Collation())
}

// IgnoresCase is true for all collations that do not compare byte by byte: most of them ignore case.
func IgnoresCase(c sql.CollationID) bool {
	return c != sql.Collation_Unspecified && c != sql.Collation_binary && !strings.HasSuffix(c.Name(), "_bin")
}

// folded writes a text so that equal texts under a collation that ignores case become the same. SQLite's LOWER folds
// only ASCII. For a text with other characters, folded writes a table of values that maps equal texts to one
// spelling.
func (w *writer) folded(e sql.Expression, text string) (string, error) {
	if w.textsAre(e, asciiTexts) {
		return "LOWER(" + text + ")", nil
	}
	if table, ok := w.valueTable(e, true); ok {
		return table, nil
	}
	return "", refusePlain("%s, a text with more than %s under a collation that ignores case", e, asciiTexts)
}

// ordered writes an expression of ORDER BY.
func (w *writer) ordered(e sql.Expression) (string, error) {
	text, err := w.expression(e)
	if err != nil || classOf(e.Type()) != textClass || !w.folds(e) {
		return text, err
	}
	if !w.textsAre(e, plainTexts) {
		return "", refusePlain("ORDER BY %s, a text under a collation that ignores case with more than %s", e, plainTexts)
	}
	return "LOWER(" + text + ")", nil
}

// A textKind classifies texts by their characters.
type textKind uint8

const (
	// plainTexts are ASCII letters, digits, spaces and hyphens: every collation sorts them in the same order.
	plainTexts   textKind = iota
	asciiTexts            // texts that SQLite's LOWER and LENGTH handle
	unknownTexts          // texts of ordinary tables, which the writer does not examine
	otherTexts
)

// String names the characters in a refusal.
func (k textKind) String() string {
	if k == plainTexts {
		return "ASCII letters, digits, spaces and hyphens"
	}
	return "ASCII"
}

// assumption precedes a statement that depends on it.
const assumption = "-- In SQLite right where the texts of ordinary tables are ASCII letters, digits, spaces and hyphens.\n"

// textsAre reports whether the texts in e are of a kind. It assumes so for texts of ordinary tables, and then the
// statement states the assumption.
func (w *writer) textsAre(e sql.Expression, allowed textKind) bool {
	kind := w.textKind(e)
	if kind == unknownTexts {
		w.assumes = true
		return true
	}
	return kind <= allowed
}

// textKind examines everything in e: literals, and the values of the view's columns in the release.
func (w *writer) textKind(e sql.Expression) textKind {
	kind := plainTexts
	transform.InspectExpr(e, func(e sql.Expression) bool {
		if text, ok := e.Type().(sql.TypeWithCollation); ok && types.IsTextOnly(e.Type()) && strings.HasSuffix(text.Collation().Name(), "_cs") {
			kind = otherTexts // the collation distinguishes case without being bytewise: LOWER is wrong
		}
		switch e := e.(type) {
		case *expression.Literal:
			if text, ok := e.Value().(string); ok {
				kind = max(kind, kindOfText(text))
			}
		case *expression.GetField:
			if known, ok := w.kinds[e.Id()]; ok && types.IsTextOnly(e.Type()) {
				kind = max(kind, known)
			}
		case *answer.ViewColumn:
			if w.estimate == nil {
				kind = otherTexts
			} else {
				kind = max(kind, w.estimate.columnKind(e.Name()))
			}
		}
		return false
	})
	return kind
}

func kindOfText(text string) textKind {
	kind := plainTexts
	for _, r := range text {
		switch {
		case r == ' ' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		case r > ' ' && r < 127:
			kind = max(kind, asciiTexts)
		default:
			kind = otherTexts
		}
	}
	return kind
}

// columnKind returns the kind of a column's values.
func (w *estimateWriter) columnKind(name string) textKind {
	fragment, column, ok := w.release.Locate(name)
	if !ok {
		return otherTexts
	}
	kind := plainTexts
	for _, v := range w.release.Fragments[fragment].Columns[column].Dictionary {
		if v.Kind == anonymize.Text {
			kind = max(kind, kindOfText(v.Text))
		}
	}
	return kind
}

// nullSafe writes <=>.
func (w *writer) nullSafe(left, right sql.Expression) (string, error) {
	l, r, err := w.comparable(left, right, false)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("COALESCE(%s = %s, (%s IS NULL) AND (%s IS NULL))", l, r, l, r), nil
}
