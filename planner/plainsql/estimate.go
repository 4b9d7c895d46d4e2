package plainsql

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/quoting"
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
//
// If completed tables answer (package estimate) and the query touches several fragments,
// the rows come from these tables, and weigh 1 / their number:
//
//	SELECT imputed.age, imputed.disease, 1e0 / 12 AS weight
//	FROM published.adult_imputed AS imputed
//	WHERE conditions
type estimateWriter struct {
	*writer
	*answer.Estimate
	release   *anonymize.Release       // without tuples; if an engine keeps the relations, with the values of touched columns only
	fragments []catalog.FragmentRecord // the touched ones, in stored order
	// columns are the view's columns inside the join. computed are the keys and arguments outside.
	columns  map[string]string
	computed writtenList
	weight   string
	tables   int // number of completed tables that answer, 0 for none
}

// joinedAlias names the weighted join, imputedAlias the completed tables.
const joinedAlias, imputedAlias = "joined", "imputed"

// writeEstimate writes an Estimate as a derived table.
func (w *writer) writeEstimate(e *answer.Estimate) (*selection, error) {
	ew := &estimateWriter{writer: w, Estimate: e, columns: make(map[string]string), weight: "weight"}
	outer := w.estimate
	w.estimate = ew
	defer func() { w.estimate = outer }()
	if err := ew.locate(); err != nil {
		return nil, err
	}
	if err := ew.read(); err != nil {
		return nil, err
	}
	if err := ew.impute(); err != nil {
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
	return w.wrapGroups(s, len(ew.Keys) > 0 && len(s.group) == 0), nil
}

// locate finds the touched fragments. It refuses generalized columns, whose labels are no values.
func (w *estimateWriter) locate() error {
	for _, f := range w.View.Record().Fragments {
		touched := false
		for _, c := range f.Columns {
			if !w.Reads(c.Name) {
				continue
			}
			if !c.Point {
				return refusePlain(
					"the column %s: its cells are published as labels that stand for several values, and the text would need their members",
					c.Name,
				)
			}
			if strings.EqualFold(c.Name, w.weight) {
				w.weight += "_of_row" // the column keeps its name
			}
			touched = true
			w.columns[c.Name] = quoting.Name(f.Name) + "." + quoting.Name(c.Name)
		}
		if touched {
			w.fragments = append(w.fragments, f)
		}
	}
	return nil
}

// read reads the release. If an engine keeps and counts its relations, read reads only the values of the touched columns.
func (w *estimateWriter) read() error {
	prepared, err := w.View.Prepared(w.ctx)
	if err != nil {
		return err
	}
	var touched [][2]int
	for i, f := range prepared.Release().Fragments {
		for j, c := range f.Columns {
			if w.columns[c.Name] != "" {
				touched = append(touched, [2]int{i, j})
			}
		}
	}
	w.release, err = prepared.Described(w.ctx, touched)
	return err
}

// impute reads the columns from the completed tables if these answer.
func (w *estimateWriter) impute() (err error) {
	if len(w.fragments) < 2 {
		return nil // exact with either estimator
	}
	if w.tables, err = w.Imputes(w.ctx); err != nil || w.tables == 0 {
		return err
	}
	for name := range w.columns {
		w.columns[name] = quoting.Name(imputedAlias) + "." + quoting.Name(name)
	}
	for _, a := range w.Aggregates {
		if a.Kind == estimate.Distinct || a.IsExtreme() {
			return refusePlain(
				"%s of completed tables: it is the mean, or the median, of their figures. SET anon_estimator = 'independent', or ask published.%s_imputed GROUP BY draw",
				a,
				w.View.Record().Name,
			)
		}
	}
	return nil
}

// joined writes the weighted join. Its columns are the keys and arguments, so that they are computed once and GROUP
// BY and aggregates use one name.
func (w *estimateWriter) joined() (string, error) {
	s := &selection{}
	for _, e := range w.Where {
		text, err := w.condition(e)
		if err != nil {
			return "", err
		}
		s.where = append(s.where, text)
	}
	asked := w.Keys
	for _, a := range w.Aggregates {
		if a.Argument != nil {
			asked = append(asked[:len(asked):len(asked)], a.Argument)
		}
	}
	used := map[string]bool{strings.ToLower(w.weight): true}
	for i, e := range asked {
		if _, done := w.computed.find(e); done {
			continue
		}
		text, err := w.expression(e)
		if err != nil {
			return "", err
		}
		if i < len(w.Keys) && mixesIf(e) {
			return "", refuseMixedIf(e)
		}
		if i < len(w.Keys) && oneValue(e) {
			w.computed = append(w.computed, written{e, text})
			continue
		}
		name := columnName(e, len(s.items)+1, used)
		s.items = append(s.items, item{text: text, name: name})
		w.computed = append(w.computed, written{e, quoting.Name(joinedAlias) + "." + quoting.Name(name)})
	}
	var weight string
	s.from, weight = w.relations()
	s.items = append(s.items, item{text: weight, name: w.weight})
	return s.text(""), nil
}

// columnName names a column of the join: by its name in the view, or x1, x2 ...
func columnName(e sql.Expression, number int, used map[string]bool) string {
	name := fmt.Sprintf("x%d", number)
	if c, ok := e.(*answer.ViewColumn); ok {
		name = c.Name()
	}
	for used[strings.ToLower(name)] {
		name += "_"
	}
	used[strings.ToLower(name)] = true
	return name
}

// relations joins the fragments by gid. The weight is prod(count_i) / size^(f-1), times the share of real records if
// there are counterfeits.
func (w *estimateWriter) relations() (from, weight string) {
	from, weight = w.joinedRelations()
	if forged := w.release.Forged; forged > 0 {
		weight = fmt.Sprintf("%s * %d / %d", weight, w.release.Rows-forged, w.release.Rows)
	}
	return from, weight
}

func (w *estimateWriter) joinedRelations() (from, weight string) {
	name := w.View.Record().Name
	if w.tables > 0 {
		from = quoting.Name(catalog.PublishedDatabaseName) + "." + quoting.Name(name+"_imputed") + " AS " + quoting.Name(imputedAlias)
		return from, fmt.Sprintf("1e0 / %d", w.tables)
	}
	relation := func(of, alias string) string {
		return quoting.Name(catalog.PublishedDatabaseName) + "." + quoting.Name(name+"_"+of) + " AS " + quoting.Name(alias)
	}
	if len(w.fragments) == 0 {
		return relation("gid", "g"), "CAST(`g`.`size` AS DOUBLE)"
	}
	first := quoting.Name(w.fragments[0].Name)
	from = relation(w.fragments[0].Name, w.fragments[0].Name)
	weight = "CAST(" + first + ".`count` AS DOUBLE)"
	for _, f := range w.fragments[1:] {
		alias := quoting.Name(f.Name)
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
	for _, key := range w.Keys {
		text, err := w.keyText(key, w.computed.text(key))
		if err != nil {
			return err
		}
		if !oneValue(key) { // GROUP BY 1 would mean column 1
			s.group = append(s.group, text)
		}
	}
	for i, o := range w.Outputs {
		it, err := w.output(o)
		if err != nil {
			return err
		}
		if it.name = fmt.Sprintf("n%d", i+1); o.Kind == answer.KeyOutput {
			it.name = fmt.Sprintf("k%d", i+1)
		}
		s.items = append(s.items, it)
	}
	if len(s.items) == 0 {
		s.items = []item{{text: "1", name: "one"}}
	}
	return nil
}

// keyText returns the text to group by. For texts under a collation that ignores case, it folds case.
func (w *writer) keyText(key sql.Expression, text string) (string, error) {
	if classOf(key.Type()) != textClass || !w.folds(key) {
		return text, nil
	}
	return w.folded(key, text)
}

// keyItem writes the output of a key: one of its equal spellings.
func (w *writer) keyItem(key sql.Expression, text string) item {
	it := w.item(key, text, "")
	if it.folds {
		it.text = "MIN(" + text + ")"
	}
	return it
}

func (w *estimateWriter) output(o answer.Output) (item, error) {
	switch o.Kind {
	case answer.KeyOutput:
		key := w.Keys[o.Index]
		it := w.keyItem(key, w.computed.text(key))
		it.id = o.ID
		return it, nil
	case answer.FigureOutput:
		a := w.Aggregates[o.Index]
		text, err := w.aggregate(a)
		return item{id: o.ID, text: roundedText(a, text)}, err
	case answer.DeviationOutput, answer.LowOutput, answer.HighOutput:
		return item{}, refusePlain("standard errors and bounds: ask the server")
	case answer.IntervalLowOutput, answer.IntervalHighOutput, answer.QuotientLowOutput, answer.QuotientHighOutput:
		return item{}, refusePlain("intervals: ask the server")
	}
	return item{}, refusePlain("ANON_ACTUAL and ANON_RELATIVE_ERROR, which read the raw table")
}

// aggregate writes a figure over weighted rows.
func (w *estimateWriter) aggregate(a answer.Aggregate) (string, error) {
	if a.Units != nil {
		return "", refusePlain("%s: how the records of a group are shared out to its units is no sum over tuples", a)
	}
	weight := quoting.Name(joinedAlias) + "." + quoting.Name(w.weight)
	if a.Argument == nil {
		return "COALESCE(SUM(" + weight + "), 0)", nil
	}
	known := len(w.fragments) == 0 || len(w.fragments) == 1 && w.release.Forged == 0
	if a.Kind == estimate.Distinct && !known && len(w.fragments) == 1 {
		return "", refusePlain("%s from a release with counterfeits: it is a sum of probabilities that not all records with the value are counterfeits", a)
	}
	return w.weighted(a, w.computed.text(a.Argument), weight, known)
}
