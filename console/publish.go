package console

import (
	"encoding/json"
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
	// Risk says how far the table as it is tells who is who; NoRisk why that is not known.
	Risk    [][]cell
	NoRisk  *problem
	Methods []string
	Problem *problem
	// What the fields begin with.
	Method, Parameters, Publish string
	Private                     bool
	Works                       []*work
}

// A suggestion is a column with what it may be, and why.
type suggestion struct{ Name, Role, Distinct, Reason string }

// methodNames are those that a form offers; the field for parameters takes what docs/methods.md says of each.
var methodNames = []string{"anatomy", "slppa", "arp", "nonhomogeneous", "slicing", "asn", "mondrian", "cross_bucket", "fulldomain", "drasl"}

// publishForm lists the tables that the account may read, or the columns of one with the roles that they have, or else
// those that ANON_DETECT suggests. A link may fill it.
func (c *console) publishForm(w http.ResponseWriter, r *http.Request, s *session) {
	view := publishView{frame: s.frame("Publish", "publish"), Methods: methodNames, Works: c.sessions.worksOf(s)}
	view.fill(r.URL.Query())
	if view.Table == "" {
		view.Tables, view.Problem = s.read(
			r.Context(),
			"SELECT table_schema AS `database`, table_name AS `table` FROM information_schema.tables WHERE table_type = 'BASE TABLE' "+
				"AND table_schema NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys', 'anonsql', 'published') ORDER BY 1, 2",
		)
	} else {
		view.Problem = view.suggest(r, s)
	}
	if len(view.Columns) > 0 {
		view.measure(r, s)
	}
	status := http.StatusOK
	if view.Problem != nil {
		status = http.StatusUnprocessableEntity
	}
	show(w, status, "publish.html", view)
}

// fill takes what a link says, or else what is usual.
func (v *publishView) fill(link url.Values) {
	v.Database, v.Table = link.Get("database"), link.Get("table")
	v.Method, v.Parameters, v.Publish, v.Private = "anatomy", "l=4\nsize=50\nmodel=counts", v.Table, true
	if link.Get("filled") != "" {
		v.Method, v.Parameters, v.Publish, v.Private = link.Get("method"), link.Get("parameters"), link.Get("publish"), link.Get("private") != ""
	}
}

func (v *publishView) suggest(r *http.Request, s *session) *problem {
	found, failed := s.read(
		r.Context(),
		"SELECT `column`, suggested_role, distinct_values, reason FROM ANON_DETECT("+quoting.Name(v.Database)+"."+quoting.Name(v.Table)+")",
	)
	if failed != nil {
		return failed
	}
	stored, failed := s.read(r.Context(), "SELECT `column`, role FROM anonsql.attributes WHERE `database` = ? AND `table` = ?", v.Database, v.Table)
	if failed != nil {
		return failed
	}
	role := make(map[string]string)
	for _, row := range stored.Rows {
		role[row[0].Value] = row[1].Value
	}
	for _, row := range found.Rows {
		c := suggestion{row[0].Value, row[1].Value, row[2].Text, row[3].Text}
		if given, ok := role[c.Name]; ok && !row[1].Null {
			c.Role, c.Reason = given, "The owner has said so. "+c.Reason
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

// measure says how risky the table is before anything is published of it, by the roles that its owner has given, or those that are suggested.
func (v *publishView) measure(r *http.Request, s *session) {
	found, failed := s.read(r.Context(), "SELECT measure, ROUND(value, 4), detail FROM ANON_RISK("+quoting.Name(v.Database)+"."+quoting.Name(v.Table)+
		") WHERE measure IN ('k', 'unique', 'prosecutor', 'one_value')")
	if v.NoRisk = failed; failed == nil {
		v.Risk = found.Rows
	}
}

// statedRoles are those that a statement names.
var statedRoles = []string{"qi", "sa", "unit", "weight"}

// actions are what the form's buttons do, as titles of pages.
var actions = map[string]string{"publish": "Publishing", "dry_run": "Trial run", "advise": "Proposals", "tune": "Comparing methods"}

// publish makes the statement of a form and begins it as a work, which can be watched and stopped; or only shows it.
func (c *console) publish(w http.ResponseWriter, r *http.Request, s *session) {
	statement, err := publication(r.PostForm)
	title, known := actions[r.PostForm.Get("action")]
	switch {
	case err != nil:
		showProblem(w, s, &problem{Text: err.Error()})
	case r.PostForm.Get("action") == "statement":
		c.showAsk(w, r, s, askView{Statement: statement})
	case !known:
		showProblem(w, s, &problem{Text: "The form names nothing to do: use the buttons of the page."})
	default:
		startWork(w, r, s, title+": "+r.PostForm.Get("database")+"."+r.PostForm.Get("table"), statement)
	}
}

// publication is the statement of a form: CALL anonymize, CALL advise, or CALL tune.
func publication(form url.Values) (string, error) {
	options := map[string]any{}
	for _, column := range form["column"] {
		if role := form.Get("role:" + column); slices.Contains(statedRoles, role) {
			listed, _ := options[role].([]string)
			options[role] = append(listed, column)
		}
	}
	for _, part := range strings.FieldsFunc(form.Get("parameters"), func(c rune) bool { return c == ';' || c == '\n' || c == '\r' }) {
		name, value, ok := strings.Cut(part, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return "", fmt.Errorf("the parameters have %q, must be name=value, one a line", part)
		}
		options[name] = strings.TrimSpace(value)
	}
	call := "CALL " + form.Get("action") + "(" + quoting.Text(tableName(form)) + ", "
	roles := maps.Clone(options)
	maps.DeleteFunc(roles, func(name string, _ any) bool { return !slices.Contains(statedRoles, name) })
	switch form.Get("action") {
	case "advise":
		options = roles
	case "tune":
		options = maps.Clone(tuneOptions)
		maps.Copy(options, roles)
	default:
		call = "CALL anonymize(" + quoting.Text(tableName(form)) + ", " + quoting.Text(form.Get("method")) + ", "
		if name := form.Get("publish"); name != "" {
			options["publish"] = name
		}
		for _, set := range []string{"private", "dry_run"} {
			if form.Get(set) != "" || form.Get("action") == set {
				options[set] = "true"
			}
		}
	}
	text, err := json.Marshal(options)
	if err != nil {
		return "", err
	}
	return call + quoting.Text(string(text)) + ")", nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_$]+$`)

// tableName is database.table as procedures read it.
func tableName(form url.Values) string {
	names := []string{form.Get("database"), form.Get("table")}
	for i, name := range names {
		if !plainName.MatchString(name) {
			names[i] = quoting.Name(name)
		}
	}
	return strings.Join(names, ".")
}
