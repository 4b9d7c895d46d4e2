package planner

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
)

// An estimateWriter writes one Estimate:
//
//	SELECT key AS k1, COALESCE(SUM(weight), 0) AS n1
//	FROM (
//	  SELECT qi1.age, sa.disease, CAST(qi1.count AS DOUBLE) * sa.count / g.size AS weight
//	  FROM published.adult_qi1 AS qi1
//	  JOIN published.adult_sa AS sa ON sa.gid = qi1.gid
//	  JOIN published.adult_gid AS g ON g.gid = qi1.gid
//	  WHERE conditions
//	) AS joined
//	GROUP BY key
type estimateWriter struct {
	*sqlWriter
	*Estimate
	release   *anonymize.Release
	fragments []catalog.FragmentRecord // touched, in stored order
	// columns are the view's columns inside the join, computed the keys and
	// arguments, by their texts, outside.
	columns, computed map[string]string
	weight            string
}

// joinedAlias is the weighted join.
const joinedAlias = "joined"

// writeEstimate makes a derived table of an Estimate.
func (w *sqlWriter) writeEstimate(e *Estimate) (*selection, error) {
	release, err := e.view.Release(w.ctx)
	if err != nil {
		return nil, err
	}
	ew := &estimateWriter{sqlWriter: w, Estimate: e, release: release, columns: make(map[string]string), computed: make(map[string]string), weight: "weight"}
	outer := w.estimate
	w.estimate = ew
	defer func() { w.estimate = outer }()
	if err := ew.locate(); err != nil {
		return nil, err
	}
	s := &selection{grouped: true}
	joined, err := ew.joined()
	if err != nil {
		return nil, err
	}
	s.from = derived(joined, joinedAlias)
	if err := ew.addOutputs(s); err != nil {
		return nil, err
	}
	return w.wrap(s), nil
}

// locate finds the touched fragments and refuses generalized columns, whose
// labels are no values.
func (w *estimateWriter) locate() error {
	for _, f := range w.view.Record().Fragments {
		touched := false
		for _, c := range f.Columns {
			if !w.reads(c.Name) {
				continue
			}
			if !c.Point {
				return refusePlain("the column %s: its cells are published as labels that stand for several values, and the text would need their members", c.Name)
			}
			if strings.EqualFold(c.Name, w.weight) {
				w.weight += "_of_row" // the column keeps its name
			}
			touched = true
			w.columns[c.Name] = identifier(f.Name) + "." + identifier(c.Name)
		}
		if touched {
			w.fragments = append(w.fragments, f)
		}
	}
	return nil
}

// joined writes the weighted join, with the keys and arguments as its columns:
// computed once, and under one name wherever they are grouped by or added up.
func (w *estimateWriter) joined() (string, error) {
	s := &selection{}
	for _, e := range w.where {
		text, err := w.condition(e)
		if err != nil {
			return "", err
		}
		s.where = append(s.where, text)
	}
	asked := w.keys
	for _, a := range w.aggregates {
		if a.argument != nil {
			asked = append(asked[:len(asked):len(asked)], a.argument)
		}
	}
	used := map[string]bool{strings.ToLower(w.weight): true}
	for i, e := range asked {
		if w.computed[e.String()] != "" {
			continue
		}
		text, err := w.expression(e)
		if err != nil {
			return "", err
		}
		if i < len(w.keys) && mixesIf(e) {
			return "", refuseMixedIf(e)
		}
		name := columnName(e, len(s.items)+1, used)
		s.items = append(s.items, item{text: text, name: name})
		w.computed[e.String()] = identifier(joinedAlias) + "." + identifier(name)
	}
	var weight string
	s.from, weight = w.relations()
	s.items = append(s.items, item{text: weight, name: w.weight})
	return s.text(""), nil
}

// columnName names a column of the join: as it is named in the view, or x1, x2 ...
func columnName(e sql.Expression, number int, used map[string]bool) string {
	name := fmt.Sprintf("x%d", number)
	if c, ok := e.(*viewColumn); ok {
		name = c.name
	}
	for used[strings.ToLower(name)] {
		name += "_"
	}
	used[strings.ToLower(name)] = true
	return name
}

// relations joins the fragments by gid. The weight is prod(count_i) / size^(f-1),
// times the share of real records where there are counterfeits.
func (w *estimateWriter) relations() (from, weight string) {
	from, weight = w.joinedRelations()
	if forged := w.release.Forged; forged > 0 {
		weight = fmt.Sprintf("%s * %d / %d", weight, w.release.Rows-forged, w.release.Rows)
	}
	return from, weight
}

func (w *estimateWriter) joinedRelations() (from, weight string) {
	name := w.view.Record().Name
	relation := func(of, alias string) string {
		return identifier(catalog.PublishedDatabaseName) + "." + identifier(name+"_"+of) + " AS " + identifier(alias)
	}
	if len(w.fragments) == 0 {
		return relation("gid", "g"), "CAST(`g`.`size` AS DOUBLE)"
	}
	first := identifier(w.fragments[0].Name)
	from = relation(w.fragments[0].Name, w.fragments[0].Name)
	weight = "CAST(" + first + ".`count` AS DOUBLE)"
	for _, f := range w.fragments[1:] {
		alias := identifier(f.Name)
		from += fmt.Sprintf("\nJOIN %s ON %s.`gid` = %s.`gid`", relation(f.Name, f.Name), alias, first)
		weight += " * " + alias + ".`count`"
	}
	if len(w.fragments) > 1 {
		from += fmt.Sprintf("\nJOIN %s ON `g`.`gid` = %s.`gid`", relation("gid", "g"), first)
		weight += strings.Repeat(" / `g`.`size`", len(w.fragments)-1)
	}
	return from, weight
}

// addOutputs writes keys, figures and GROUP BY.
func (w *estimateWriter) addOutputs(s *selection) error {
	for _, key := range w.keys {
		text, err := w.keyText(key, w.computed[key.String()])
		if err != nil {
			return err
		}
		if !oneValue(key) { // one row over no records would come of it
			s.group = append(s.group, text)
		}
	}
	for i, o := range w.outputs {
		it, err := w.output(o)
		if err != nil {
			return err
		}
		if it.name = fmt.Sprintf("n%d", i+1); o.kind == keyOutput {
			it.name = fmt.Sprintf("k%d", i+1)
		}
		s.items = append(s.items, it)
	}
	if len(s.items) == 0 {
		s.items = []item{{text: "1", name: "one"}}
	}
	if len(w.keys) > 0 && len(s.group) == 0 {
		// Constant keys have no row over no records.
		return refusePlain("GROUP BY %s, a constant: leave it out", texts(w.keys)[0])
	}
	return nil
}

// keyText is what groups, of a key that is written as text: texts under a
// collation that ignores case without it.
func (w *sqlWriter) keyText(key sql.Expression, text string) (string, error) {
	if classOf(key.Type()) != textClass || !w.folds(key) {
		return text, nil
	}
	return w.folded(key, text)
}

// keyItem shows a key: one spelling of those that are equal.
func (w *sqlWriter) keyItem(key sql.Expression, text string) item {
	it := w.item(key, text, "")
	if it.folds {
		it.text = "MIN(" + text + ")"
	}
	return it
}

func (w *estimateWriter) output(o output) (item, error) {
	switch o.kind {
	case keyOutput:
		key := w.keys[o.index]
		it := w.keyItem(key, w.computed[key.String()])
		it.id = o.id
		return it, nil
	case figureOutput:
		a := w.aggregates[o.index]
		text, err := w.aggregate(a)
		return item{id: o.id, text: a.roundedText(text)}, err
	case deviationOutput, lowOutput, highOutput:
		return item{}, refusePlain("standard errors and bounds: ask the server")
	case intervalLowOutput, intervalHighOutput:
		return item{}, refusePlain("intervals: they are measured, not computed from the fragments")
	}
	return item{}, refusePlain("ANON_ACTUAL and ANON_RELATIVE_ERROR, which read the raw table")
}

// roundedText rounds what the server rounds: to whole numbers where the session wants
// them, and exact averages to their decimals.
func (a *aggregate) roundedText(text string) string {
	switch decimal, ok := a.type_.(sql.DecimalType); {
	case a.rounded:
		return "ROUND(" + text + ")"
	case ok && a.kind == averageKind:
		return fmt.Sprintf("ROUND(%s, %d)", text, decimal.Scale())
	}
	return text
}

// aggregate writes a figure over weighted rows. N, S and Q are as in the package
// comment.
func (w *estimateWriter) aggregate(a aggregate) (string, error) {
	weight := identifier(joinedAlias) + "." + identifier(w.weight)
	if a.argument == nil {
		return "COALESCE(SUM(" + weight + "), 0)", nil
	}
	known := len(w.fragments) == 0 || len(w.fragments) == 1 && w.release.Forged == 0
	if a.kind == distinctKind && !known && len(w.fragments) == 1 {
		return "", refusePlain("%s from a release with counterfeits: it is a sum of probabilities that not all records with the value are counterfeits", a)
	}
	return w.weighted(a, w.computed[a.argument.String()], weight, known)
}

// weighted writes an aggregate of argument x over rows of a weight.
func (w *sqlWriter) weighted(a aggregate, x, weight string, exact bool) (string, error) {
	class := classOf(a.argument.Type())
	records := "SUM(CASE WHEN " + x + " IS NULL THEN NULL ELSE " + weight + " END)"
	sum := "SUM(" + weight + " * " + x + ")"
	switch {
	case a.kind == countKind:
		return "COALESCE(" + records + ", 0)", nil
	case a.kind == distinctKind:
		return w.countDistinct(a, x, exact)
	case a.kind.isExtreme():
		if class == textClass && w.folds(a.argument) || class == otherClass {
			return "", refusePlain("%s: it follows the order of a collation or type", a)
		}
		if mixesIf(a.argument) {
			return "", refuseMixedIf(a.argument)
		}
		return map[bool]string{true: "MIN(", false: "MAX("}[a.kind == minimumKind] + x + ")", nil
	case class != numberClass && class != nullClass:
		return "", refusePlain("%s: its argument is %s, not a number", a, className(class))
	case a.kind == sumKind:
		return sum, nil
	case a.kind == averageKind:
		return "(" + sum + " / " + records + ")", nil
	}
	return variance(a.kind, x, weight, records, sum), nil
}

// countDistinct counts what occurs where one fragment decides.
func (w *sqlWriter) countDistinct(a aggregate, x string, exact bool) (string, error) {
	if !exact {
		return "", refusePlain("%s over several fragments: it is a sum of probabilities that no record has the value, a product over groups; over one fragment it is counted", a)
	}
	if classOf(a.argument.Type()) == textClass && w.folds(a.argument) {
		var err error
		if x, err = w.folded(a.argument, x); err != nil {
			return "", err
		}
	}
	return "COUNT(DISTINCT " + x + ")", nil
}

// variance is Q/N - (S/N)^2, of a sample times N/(N-1); a deviation its root,
// which SQLite has when it was built with its mathematical functions, as its
// shell is.
func variance(kind aggregateName, x, weight, records, sum string) string {
	mean := "(" + sum + " / " + records + ")"
	text := fmt.Sprintf("ABS(SUM(%s * %s * %s) / %s - %s * %s)", weight, x, x, records, mean, mean) // rounding may make -0
	if kind == varSampKind || kind == stdSampKind {
		text = fmt.Sprintf("CASE WHEN %s > 1.000000001 THEN (%s) * %s / (%s - 1) END", records, text, records, records)
	}
	if kind == stdPopKind || kind == stdSampKind {
		return "SQRT(" + text + ")"
	}
	return text
}

// mixesIf reports whether e has an IF over numbers of different types, which the
// server shows in the type of the first.
func mixesIf(e sql.Expression) bool {
	return transform.InspectExpr(e, func(e sql.Expression) bool {
		call, ok := e.(sql.FunctionExpression)
		if !ok || !strings.EqualFold(call.FunctionName(), "if") {
			return false
		}
		a, exact := decimalPlaces(e.Children()[1].Type())
		b, alike := decimalPlaces(e.Children()[2].Type())
		return a != b || exact != alike
	})
}

func refuseMixedIf(e sql.Expression) error {
	return refusePlain("%s, an IF over numbers of different types: write CASE, or cast one of them", e)
}
