package console

import (
	"cmp"
	"encoding/json"
	"html/template"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/report"
)

// A listedRelease is a line of the list.
type listedRelease struct{ Name, Method, Status, Records, Groups, Sensitive, Attack, Published string }

// releases lists the releases that the account may see, each with its strongest attack if the account may know it.
func releases(w http.ResponseWriter, r *http.Request, s *session) {
	view := struct {
		frame
		Releases []listedRelease
		Problem  *problem
	}{frame: s.frame("Releases", "releases")}
	var listed *table
	listed, view.Problem = s.list(r.Context(), "SELECT r.name, r.method, r.status, r.`rows`, r.`groups`, r.sa, "+
		"(SELECT MAX(g.achieved) FROM anonsql.guarantees g WHERE g.`release` = r.name AND g.guarantee IN ('definetti', 'learned', 'rank', 'matching')) AS attack, "+
		"DATE_FORMAT(r.published_at, '%Y-%m-%d %H:%i') FROM anonsql.releases r ORDER BY r.published_at DESC, r.name")
	if view.Problem == nil {
		for _, row := range listed.Rows {
			l := listedRelease{Name: row[0].Value, Method: row[1].Text, Status: row[2].Text, Sensitive: row[5].Text, Published: row[7].Text}
			l.Records, l.Groups = showCount(numberOr(row[3])), showCount(numberOr(row[4]))
			if x := numberOr(row[6]); x >= 0 {
				l.Attack = percentBelow(x)
			}
			view.Releases = append(view.Releases, l)
		}
	}
	show(w, http.StatusOK, "releases.html", view)
}

type releaseView struct {
	frame
	Name  string
	Facts []fact
	Lead  string
	// Decision is the first page of the report, written by the server.
	Decision           template.HTML
	Columns            []releasedColumn
	Promises           []report.Line
	Utility            []figures
	Relations          []question
	Questions          []question
	Problem, NoPrivacy *problem
	NoUtility          *problem
	NoDecision         *problem
	// Owner says that the account may read the raw table, and so the following two.
	Owner       bool
	Comparison  *comparison
	Worst       []worst
	NoneOfThese *problem
	Made        *work // that has just published it
}

// worst has the worst groups by one sensitive attribute. If all groups are alike, Same describes them in a sentence.
type worst struct {
	Attribute, Same string
	Groups          *table
}

// A releasedColumn is a column of the view with its kind.
type releasedColumn struct{ Name, Type, Kind string }

// figures are rows of ANON_UTILITY of one kind.
type figures struct {
	Title   string
	Figures *table
}

type fact struct{ Name, Text string }

// A question is a statement that a page offers.
type question struct{ About, Statement string }

// release shows everything about a release that the account may know.
func (c *console) release(w http.ResponseWriter, r *http.Request, s *session) {
	name := r.URL.Query().Get("name")
	view := releaseView{frame: s.frame(name, ""), Name: name}
	found, failed := s.read(r.Context(), "SELECT * FROM anonsql.releases WHERE name = ?", name)
	if failed != nil || len(found.Rows) == 0 {
		if view.Problem = failed; failed == nil {
			view.Problem = &problem{Text: "There is no release " + name + " that your account may read."}
		}
		show(w, http.StatusNotFound, "release.html", view)
		return
	}
	for i, column := range found.Columns {
		if c := found.Rows[0][i]; !c.Null && c.Text != "" {
			view.Facts = append(view.Facts, fact{strings.ReplaceAll(column, "_", " "), settings(c.Value, c.Text)})
		}
	}
	view.Lead = leadOf(found)
	view.decide(r, s)
	if privacy, failed := s.read(r.Context(), "SELECT guarantee, required, achieved, holds, detail FROM ANON_PRIVACY("+quoting.Name(name)+")"); failed == nil {
		view.Promises = linesOf(privacy)
	} else {
		view.NoPrivacy = failed
	}
	if utility, failed := s.read(r.Context(), "SELECT measure, value, detail FROM ANON_UTILITY("+quoting.Name(name)+")"); failed == nil {
		view.Utility = byKind(utility)
	} else {
		view.NoUtility = failed
	}
	if view.Problem = view.questions(r, s, found); view.Problem == nil {
		view.Problem = view.relations(r, s)
	}
	if source := found.column("source"); len(source) == 1 && !source[0].Null {
		view.owners(r, s, found, source[0].Value)
	}
	if made := c.findWork(r, s); made != nil && made.Published() == name {
		view.Made = made
	}
	show(w, http.StatusOK, "release.html", view)
}

// leadOf describes a release in a sentence.
func leadOf(found *table) string {
	cell := func(name string) string {
		if cells := found.column(name); len(cells) == 1 && !cells[0].Null {
			return cells[0].Text
		}
		return ""
	}
	lead := "Version " + cell("version") + ", " + cell("status") + ", by " + cell("method")
	if source := cell("source"); source != "" {
		lead += " from " + source
	}
	return lead + "."
}

// settings writes an object of texts as "l=5, size=50"; anything else stays.
func settings(value, text string) string {
	var object map[string]string
	if json.Unmarshal([]byte(value), &object) != nil || len(object) == 0 {
		return text
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		parts = append(parts, name+"="+object[name])
	}
	return strings.Join(parts, ", ")
}

// decide inserts the first page of the report.
func (v *releaseView) decide(r *http.Request, s *session) {
	page, failed := s.reportOf(r, "part=decision")
	v.Decision, v.NoDecision = template.HTML(page), failed // the server's templates escape names given by users
}

// linesOf returns the rows of ANON_PRIVACY in words, requested ones first.
func linesOf(privacy *table) (lines []report.Line) {
	for _, row := range privacy.Rows {
		var required *float64
		if x := numberOr(row[1]); !row[1].Null {
			required = &x
		}
		achieved, err := strconv.ParseFloat(row[2].Value, 64)
		if err != nil {
			achieved = math.NaN()
		}
		lines = append(lines, report.LineOf(row[0].Value, required, achieved, row[3].Value == "1", row[4].Text))
	}
	slices.SortStableFunc(lines, func(a, b report.Line) int { return cmp.Compare(min(1, len(b.Required)), min(1, len(a.Required))) })
	return lines
}

// A kind of measures has a title.
type kind struct {
	title    string
	prefixes []string
}

// kinds of measures of ANON_UTILITY, by prefixes of their names; the first match counts.
var kinds = []kind{
	{"Errors of answers, measured", []string{"relative_error", "matching_share"}},
	{"Intervals", []string{"completed_tables", "interval", "calibration", "coverage", "rms_z", "factor_95"}},
	{"Connections that are lost", []string{"glp", "probability", "reconstruction", "phi_squared", "kl_divergence"}},
	{"Groups and relations", []string{"group", "tuples", "attributes", "unique_share", "equivalence", "certainty", "discernibility"}},
	{"What the method reported", []string{"fact"}},
	{"Others", []string{""}},
}

// byKind groups the rows of ANON_UTILITY.
func byKind(utility *table) (found []figures) {
	rows := make([][][]cell, len(kinds))
	for _, row := range utility.Rows {
		of := slices.IndexFunc(kinds, func(k kind) bool {
			return slices.ContainsFunc(k.prefixes, func(prefix string) bool { return strings.HasPrefix(row[0].Value, prefix) })
		})
		rows[of] = append(rows[of], row)
	}
	for i, k := range kinds {
		if len(rows[i]) > 0 {
			found = append(found, figures{k.title, &table{Columns: utility.Columns, Numeric: utility.Numeric, Rows: rows[i]}})
		}
	}
	return found
}

// owners adds what only readers of the raw table may see.
func (v *releaseView) owners(r *http.Request, s *session, found *table, source string) {
	v.Owner = true
	if v.Comparison, v.NoneOfThese = s.compare(r.Context(), v.Name, source); v.NoneOfThese != nil {
		return
	}
	if records := found.column("rows"); len(records) != 1 || numberOr(records[0]) > maxRecords {
		return
	}
	for _, attribute := range strings.Split(found.column("sa")[0].Value, ",") {
		groups, failed := s.worstGroups(r.Context(), v.Relations, v.Name, strings.TrimSpace(attribute))
		if v.NoneOfThese = failed; failed != nil {
			return
		}
		if groups != nil {
			v.Worst = append(v.Worst, worst{strings.TrimSpace(attribute), describeSame(strings.TrimSpace(attribute), groups), groups})
		}
	}
}

// describeSame describes the worst groups if all are alike; "" if they differ.
func describeSame(attribute string, groups *table) string {
	shares, of, records := groups.column("share"), groups.column("of_it"), groups.column("records")
	if len(shares) == 0 || shares[0].Value != shares[len(shares)-1].Value {
		return ""
	}
	return "No group is worse than the others that come first: in each of the " + strconv.Itoa(len(shares)) + " a value of " + attribute +
		" has as great a share, such as " + of[0].Text + " of " + records[0].Text + " records."
}

// questions composes questions about the columns of the view: counts, by the sensitive attribute, by two attributes.
func (v *releaseView) questions(r *http.Request, s *session, found *table) *problem {
	columns, failed := s.list(
		r.Context(),
		"SELECT column_name AS name, column_type AS type FROM information_schema.columns WHERE table_schema = 'published' AND table_name = ? ORDER BY ordinal_position",
		v.Name,
	)
	if failed != nil {
		return failed
	}
	var names []string
	for _, c := range columns.column("name") {
		names = append(names, c.Value)
	}
	figures := "COUNT(*) AS people\nFROM " + published(v.Name) // page Ask adds intervals
	v.Questions = []question{{"How many records there are", "SELECT " + figures}}
	by := func(about, key string) {
		v.Questions = append(v.Questions, question{about, "SELECT " + key + ", " + figures + "\nGROUP BY " + key + "\nORDER BY people DESC LIMIT 40"})
	}
	sensitive, quasi := named(found, "sa", names), named(found, "qi", names)
	for i, c := range columns.column("type") {
		kind := "beside them"
		switch {
		case slices.Contains(sensitive, names[i]):
			kind = "sensitive: nobody must learn it of a person"
		case slices.Contains(quasi, names[i]):
			kind = "quasi-identifier: others may know it of a person"
		}
		v.Columns = append(v.Columns, releasedColumn{names[i], c.Text, kind})
	}
	for _, name := range slices.Concat(sensitive, quasi) {
		by("How many by "+name, quoting.Name(name))
	}
	if len(sensitive) > 0 && len(quasi) > 0 {
		by("How many by "+quasi[0]+" and "+sensitive[0], quoting.Name(quasi[0])+", "+quoting.Name(sensitive[0]))
	}
	return nil
}

// named returns the attributes in a column of anonsql.releases that the view has.
func named(found *table, list string, columns []string) (names []string) {
	for _, c := range found.column(list) {
		for _, name := range strings.Split(c.Value, ",") {
			if name = strings.TrimSpace(name); slices.Contains(columns, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// relations lists the relations behind the view: their names begin with its name and an
// underscore, but not with that of another release with a longer name.
func (v *releaseView) relations(r *http.Request, s *session) *problem {
	conn, err := s.db.Conn(r.Context())
	s.note(err)
	if err != nil {
		return problemOf(err)
	}
	defer discard(conn)
	if _, err := conn.ExecContext(r.Context(), "SET anon_list_relations = 'ON'"); err != nil {
		return problemOf(err)
	}
	all, err := readList(
		r.Context(),
		conn,
		"SELECT t.table_name AS name, r.name AS `release` FROM information_schema.tables t LEFT JOIN anonsql.releases r ON r.name = t.table_name "+
			"WHERE t.table_schema = 'published' ORDER BY t.table_name",
	)
	if err != nil {
		return problemOf(err)
	}
	var others []string
	for _, c := range all.column("release") {
		if !c.Null && strings.HasPrefix(c.Value, v.Name+"_") {
			others = append(others, c.Value)
		}
	}
	for _, c := range all.column("name") {
		ofAnother := func(other string) bool { return c.Value == other || strings.HasPrefix(c.Value, other+"_") }
		if strings.HasPrefix(c.Value, v.Name+"_") && !slices.ContainsFunc(others, ofAnother) {
			v.Relations = append(v.Relations, question{c.Value, "SELECT * FROM " + published(c.Value) + "\nLIMIT 100"})
		}
	}
	return nil
}

// reportOf returns a page of CALL report.
func (s *session) reportOf(r *http.Request, options ...any) (page string, failed *problem) {
	rows, err := s.db.QueryContext(r.Context(), "CALL report(?"+strings.Repeat(", ?", len(options))+")", append([]any{r.URL.Query().Get("name")}, options...)...)
	s.note(err)
	if err != nil {
		return "", problemOf(err)
	}
	defer rows.Close()
	var name, version string
	if rows.Next() {
		err = rows.Scan(&name, &version, &page)
	}
	if err == nil {
		err = rows.Err()
	}
	if err != nil {
		return "", problemOf(err)
	}
	return page, nil
}

// fullReport serves the page of CALL report. Its policy names its own style by a hash, permits
// no script, and gives it an opaque origin.
func fullReport(w http.ResponseWriter, r *http.Request, s *session) {
	page, failed := s.reportOf(r)
	if failed != nil || page == "" {
		showProblem(w, r, s, failed)
		return
	}
	w.Header().
		Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	_, _ = w.Write([]byte(page)) // a client that has left needs no page
}
