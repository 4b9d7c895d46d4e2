package console

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/quoting"
)

type publishView struct {
	frame
	Tables          *table
	Database, Table string
	Columns         []suggestion
	// Risk says how identifying the raw table is; NoRisk why that is unknown.
	Risk     []riskFact
	Riskiest string
	NoRisk   *problem
	First    *table // rows of the table
	Methods  []offer
	Problem  *problem
	// The initial values of the fields.
	Method, Parameters, Size, Model, Mode, Publish string
	Private                                        bool
	Aims                                           []columnRole
	Aim                                            string
	Secrets                                        int // number of columns suggested as secret
	Works                                          []*work
	Uploads                                        bool // whether uploads are possible
}

// A suggestion is a column with its suggested role and the reason. Stored is the owner's role, "" for none.
type suggestion struct{ Name, Role, Distinct, Reason, Stored string }

// aims are the goals of a comparison, and their wording.
var aims = []columnRole{{"safe", "that an attacker finds least"}, {"balanced", "a balance of both"}, {"useful", "that answers are least wrong"}}

// A riskFact is a measure of the raw table, in words.
type riskFact struct{ Figure, Words string }

// A columnRole is a role of a column, and its wording.
type columnRole struct{ Name, Words string }

// Roles returns the roles that a form offers for a column.
func (suggestion) Roles() []columnRole {
	return []columnRole{{"qi", "others know it"}, {"sa", "secret"}, {"unit", "the person"}, {"weight", "weight"}, {"ei", "identifies"}, {"other", "leave out"}}
}

// publishForm lists the tables that the account may read; or the columns of one, with their
// declared roles or else the suggestions of ANON_DETECT. A link may fill it.
func (c *console) publishForm(w http.ResponseWriter, r *http.Request, s *session) {
	view := publishView{Works: c.sessions.worksOf(s), Uploads: c.importer != nil && s.findPowers(r.Context()).Creates}
	view.frame = s.frame("Publish", "publish")
	view.fill(r.URL.Query())
	if view.Table == "" {
		view.Tables, view.Problem = s.list(
			r.Context(),
			"SELECT table_schema AS `database`, table_name AS `table` FROM information_schema.tables WHERE table_type = 'BASE TABLE' "+
				"AND table_schema NOT IN "+systemDatabases+" ORDER BY 1, 2",
		)
	} else {
		view.Problem = view.suggest(r, s)
	}
	if len(view.Columns) > 0 {
		view.measure(r, s)
		if view.Secrets = countRole(view.Columns, "sa"); view.Secrets != 1 && r.URL.Query().Get("filled") == "" {
			view.Model = "" // a model has one sensitive attribute
		}
	}
	status := http.StatusOK
	if view.Problem != nil {
		status = http.StatusUnprocessableEntity
	}
	show(w, status, "publish.html", view)
}

func countRole(columns []suggestion, role string) (n int) {
	for _, c := range columns {
		if c.Role == role {
			n++
		}
	}
	return n
}

// fill sets the fields from a link, or their defaults.
func (v *publishView) fill(link url.Values) {
	v.Database, v.Table, v.Aims, v.Aim = link.Get("database"), link.Get("table"), aims, cmp.Or(link.Get("aim"), "balanced")
	v.Method, v.Parameters, v.Publish, v.Private = "anatomy", "l=4\nsize=50\nmodel=counts", v.Table, true
	if link.Get("filled") != "" {
		v.Method, v.Parameters, v.Publish, v.Private = link.Get("method"), link.Get("parameters"), link.Get("publish"), link.Get("private") != ""
	}
	var others map[string]string
	v.Methods, others = offers(v.Method, splitParameters(v.Parameters))
	v.Size, v.Model, v.Mode = others["size"], others["model"], others["sa_mode"]
	for _, name := range append(commonFields, "sa_mode") {
		delete(others, name)
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(others)) {
		lines = append(lines, name+"="+others[name])
	}
	v.Parameters = strings.Join(lines, "\n")
}

func (v *publishView) suggest(r *http.Request, s *session) *problem {
	found, failed := s.list(
		r.Context(),
		"SELECT `column`, suggested_role, distinct_values, reason FROM ANON_DETECT("+quoting.Name(v.Database)+"."+quoting.Name(v.Table)+")",
	)
	if failed != nil {
		return failed
	}
	stored, failed := s.list(r.Context(), "SELECT `column`, role FROM anonsql.attributes WHERE `database` = ? AND `table` = ?", v.Database, v.Table)
	if failed != nil {
		return failed
	}
	role := make(map[string]string)
	for _, row := range stored.Rows {
		role[row[0].Value] = row[1].Value
	}
	for _, row := range found.Rows {
		c := suggestion{row[0].Value, row[1].Value, row[2].Text, row[3].Text, role[row[0].Value]}
		if given, ok := role[c.Name]; ok && !row[1].Null {
			c.Reason = reasonGiven(given, c.Role, c.Reason)
			c.Role = given
		}
		for _, filled := range []string{"qi", "sa", "unit", "weight", "ei", "other"} {
			if slices.Contains(r.URL.Query()[filled], c.Name) {
				c.Role = filled
			}
		}
		v.Columns = append(v.Columns, c)
	}
	return nil
}

// reasonGiven explains the owner's role of a column and the suggested one.
func reasonGiven(given, suggested, reason string) string {
	if given == suggested {
		return "Its owner has said so: " + reason
	}
	words := suggested
	for _, r := range (suggestion{}).Roles() {
		if r.Name == suggested {
			words = r.Words
		}
	}
	return "Its owner has said so. Suggested would be “" + words + "”: " + reason
}

// measure measures the risk of the raw table by its declared roles or the suggested ones.
func (v *publishView) measure(r *http.Request, s *session) {
	name := quoting.Name(v.Database) + "." + quoting.Name(v.Table)
	found, failed := s.list(r.Context(), "SELECT measure, `column`, value, detail FROM ANON_RISK("+name+") "+
		"WHERE measure IN ('unique', 'prosecutor', 'one_value', 'unique_without')")
	if v.NoRisk = failed; failed != nil {
		return
	}
	least := 2.0
	for _, row := range found.Rows {
		value := numberOr(row[2])
		switch row[0].Value {
		case "unique_without":
			if value < least {
				least, v.Riskiest = value, row[1].Value
			}
		default:
			v.Risk = append(v.Risk, riskFact{percentBelow(value), row[3].Text})
		}
	}
	v.First, _ = s.read(r.Context(), "SELECT * FROM "+name+" LIMIT 5") // show the page without them
}

// statedRoles are the roles that a statement names.
var statedRoles = []string{"qi", "sa", "unit", "weight"}

// actions are the form's buttons, with the titles of their pages.
var actions = map[string]string{"publish": "Publishing", "dry_run": "Trial run", "advise": "Proposals", "tune": "Comparing methods"}

// publish composes the statements of a form. It starts them as a work, which can be watched and stopped, or only shows them.
func (c *console) publish(w http.ResponseWriter, r *http.Request, s *session) {
	joinParameters(r.PostForm)
	statements, err := publication(r.PostForm)
	title, known := actions[r.PostForm.Get("action")]
	switch {
	case err != nil:
		showProblem(w, r, s, &problem{Text: err.Error()})
	case r.PostForm.Get("action") == "statement":
		c.showAsk(w, r, s, askView{Statement: statements[0]})
	case !known:
		showProblem(w, r, s, &problem{Text: "The form names nothing to do: use the buttons of the page."})
	default:
		startWork(w, r, s, title+": "+r.PostForm.Get("database")+"."+r.PostForm.Get("table"), statements...)
	}
}

// publication returns the statements of a form, in the documentation's style: CALL anonymize, CALL advise, or CALL tune for each candidate.
func publication(form url.Values) ([]string, error) {
	table := quoting.Text(tableName(form))
	var roles []string
	secrets := 0
	for _, role := range statedRoles {
		var names []string
		for _, column := range form["column"] {
			if form.Get("role:"+column) == role {
				names = append(names, inList(column))
			}
		}
		if role == "sa" {
			secrets = len(names)
		}
		isStored := func(column string) bool { return form.Get("stored:"+column) == role }
		switch {
		case names == nil && role == "qi":
			return nil, errors.New("no column is one that others know, and a release has one at least: say in step 2 which, such as age or region")
		case names != nil, (role == "sa" || role == "weight") && slices.ContainsFunc(form["column"], isStored):
			roles = append(roles, quoting.Text(role+"="+strings.Join(names, ","))) // an empty list replaces the stored one
		}
	}
	switch form.Get("action") {
	case "advise":
		return []string{call("advise", table, roles...)}, nil
	case "tune":
		var statements []string
		for _, candidate := range candidates {
			statements = append(statements, call("tune", table, slices.Concat(candidate.options(secrets), roles)...))
		}
		return statements, nil
	}
	options := []string{quoting.Text(form.Get("method"))}
	for _, part := range strings.FieldsFunc(form.Get("parameters"), endsLine) {
		name, value, ok := strings.Cut(part, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, fmt.Errorf("the parameters have %q, must be name=value, one a line", part)
		}
		options = append(options, quoting.Text(name+"="+strings.TrimSpace(value)))
	}
	options = append(options, roles...)
	if name := form.Get("publish"); name != "" {
		options = append(options, quoting.Text("publish="+name))
	}
	for _, set := range []string{"private", "dry_run"} {
		if form.Get(set) != "" || form.Get("action") == set {
			options = append(options, quoting.Text(set+"=true"))
		}
	}
	return []string{call("anonymize", table, options...)}, nil
}

func call(procedure, table string, arguments ...string) string {
	return "CALL " + procedure + "(" + strings.Join(append([]string{table}, arguments...), ", ") + ")"
}

// inList quotes a name for a list of names, with backticks if the list would split it.
func inList(name string) string {
	if strings.ContainsAny(name, ",`") || strings.TrimSpace(name) != name {
		return quoting.Name(name)
	}
	return name
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_$]+$`)

// tableName returns database.table as procedures parse it.
func tableName(form url.Values) string {
	names := []string{form.Get("database"), form.Get("table")}
	for i, name := range names {
		if !plainName.MatchString(name) {
			names[i] = quoting.Name(name)
		}
	}
	return strings.Join(names, ".")
}
