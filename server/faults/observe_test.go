package faults_test

import (
	dbsql "database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/server/servertest"
)

// A sight is all that an owner can see on a server, by subject. Two servers on
// which the same happened have equal sights: moments, durations and processes are
// left out, and publications name their seed.
type sight map[string]string

// seen are the statements whose rows form a sight.
var seen = []struct{ subject, statement string }{
	{"databases", "SELECT schema_name FROM information_schema.schemata"},
	{"columns", `SELECT table_schema, table_name, column_name, ordinal_position, column_type, is_nullable, column_default, column_key
		FROM information_schema.columns WHERE table_schema NOT IN ('information_schema', 'mysql', 'anonsql')`},
	{"indexes", "SELECT table_schema, table_name, index_name, seq_in_index, column_name FROM information_schema.statistics WHERE table_schema LIKE 'k%'"},
	{"views", "SELECT table_schema, table_name, view_definition FROM information_schema.views WHERE table_schema LIKE 'k%'"},
	{"releases", "SELECT name, version, method, status, source, `rows`, `groups`, parameters, qi, sa, refresh_recommended, pending, waiting, forged, updates, versions, refresh_problem FROM anonsql.releases"},
	{"guarantees", "SELECT * FROM anonsql.guarantees"},
	{"evaluations", "SELECT `release`, version, aggregate, qi, queries, mean, median, p95, seed FROM anonsql.evaluations"},
	{"roles", "SELECT * FROM anonsql.attributes"},
	{"taxonomies", "SELECT * FROM anonsql.taxonomies"},
	{"epsilon", "SELECT * FROM anonsql.epsilon"},
	{"accounts", "SELECT user, host, plugin FROM mysql.user"},
	{"roles of accounts", "SELECT * FROM mysql.role_edges"},
}

// look reads everything, and reports inconsistencies.
func look(db *dbsql.DB) (s sight, problems []string, err error) {
	s = sight{}
	see := func(subject, statement string) ([]string, error) {
		lines, err := servertest.Tries(db, statement)
		slices.Sort(lines)
		s[subject] = strings.Join(lines, "\n")
		return lines, err
	}
	for _, q := range seen {
		if _, err := see(q.subject, q.statement); err != nil {
			return nil, nil, err
		}
	}
	for line := range strings.SplitSeq(s["accounts"], "\n") {
		f := strings.Split(line, "|")
		if _, err := see("grants of "+f[0], fmt.Sprintf("SHOW GRANTS FOR '%s'@'%s'", f[0], f[1])); err != nil {
			return nil, nil, err
		}
	}
	tables, err := servertest.Tries(db, "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema LIKE 'k%' OR table_schema = 'published'")
	if err != nil {
		return nil, nil, err
	}
	for _, line := range tables {
		f := strings.Split(line, "|")
		name := fmt.Sprintf("`%s`.`%s`", f[0], f[1])
		if _, err := see("rows of "+name, "SELECT * FROM "+name); err != nil {
			return nil, nil, err
		}
	}
	problems, err = s.ask(db, see)
	return s, problems, err
}

// ask reads every release whole, has its guarantees recomputed, and compares
// estimates and relations with its description.
func (s sight) ask(db *dbsql.DB, see func(subject, statement string) ([]string, error)) (problems []string, err error) {
	described, err := servertest.Tries(db, "SELECT name, `rows`, `groups`, forged FROM anonsql.releases")
	if err != nil {
		return nil, err
	}
	for _, line := range described {
		f := strings.Split(line, "|")
		name, rows, groups := f[0], f[1], f[2]
		relations, err := servertest.Tries(db, "SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = 'published' AND column_name = 'count' AND table_name LIKE '"+name+"\\_%' AND NOT table_name LIKE '"+name+"\\_v%'")
		if err != nil {
			return nil, err
		}
		if len(relations) == 0 {
			problems = append(problems, "release "+name+" has no relations")
		}
		for _, relation := range relations {
			got, err := servertest.Tries(db, "SELECT CAST(SUM(count) AS SIGNED), COUNT(DISTINCT gid) FROM published."+relation)
			if err != nil {
				return nil, err
			}
			if got[0] != rows+"|"+groups {
				problems = append(problems, fmt.Sprintf("relation %s has %s records and groups, the release %s|%s", relation, got[0], rows, groups))
			}
		}
		broken, err := see("guarantees recomputed of "+name, "SELECT * FROM ANON_PRIVACY(published."+name+")")
		if err != nil {
			return nil, err
		}
		holds, err := servertest.Tries(db, "SELECT guarantee FROM ANON_PRIVACY(published."+name+") WHERE NOT holds")
		if err != nil {
			return nil, err
		}
		if len(holds) > 0 {
			problems = append(problems, fmt.Sprintf("release %s: broken guarantees %v of %v", name, holds, broken))
		}
		for i, question := range []string{"SELECT COUNT(*) FROM published.%s", "SELECT disease, COUNT(*) FROM published.%s GROUP BY disease",
			"SELECT sex, COUNT(*), ANON_STDERR(COUNT(*)) FROM published.%s WHERE age %% 100 > 30 GROUP BY sex"} {
			if _, err := see(fmt.Sprint("estimate ", i, " of ", name), fmt.Sprintf(question, name)); err != nil {
				return nil, err
			}
		}
	}
	return problems, nil
}

// unlike lists the subjects in which two sights differ.
func (s sight) unlike(other sight) (subjects []string) {
	for subject, text := range s {
		if there, ok := other[subject]; !ok || there != text {
			subjects = append(subjects, subject)
		}
	}
	for subject := range other {
		if _, ok := s[subject]; !ok {
			subjects = append(subjects, subject)
		}
	}
	slices.Sort(subjects)
	return subjects
}
