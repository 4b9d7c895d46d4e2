package dialect

import (
	"strings"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/server/gate"
)

// rewriteWhole rewrites a statement whose beginning the grammar does not support.
func (s *statement) rewriteWhole() bool {
	switch {
	case s.isWord(0, "do") && len(s.tokens) > 1:
		s.rewriteDo()
		return false // its values may need rewriting, too
	case s.isWord(0, "help"):
		s.replaceAll("SELECT '' AS `source_category_name`, '' AS `name`, '' AS `is_it_category` FROM DUAL WHERE 1 = 0")
	case s.isWord(0, "check") && s.isWord(1, "table", "tables"):
		return s.check()
	case s.isWord(0, "show") && s.isWord(1, "storage") && s.isWord(2, "engines"):
		s.replace(s.tokens[1].From, s.tokens[1].To, "")
	case s.isWord(0, "show") && s.isWord(1, "errors"):
		s.replace(s.tokens[1].From, s.tokens[1].To, "WARNINGS") // package wire shows only its errors
	case s.isWord(0, "show") && s.isWord(1, "count") && s.isWord(5, "warnings"):
		s.replaceAll("SELECT @@session.warning_count")
	case s.isWord(0, "show") && s.isWord(1, "count") && s.isWord(5, "errors"):
		s.replaceAll("SELECT @@session.error_count")
	case s.isWord(0, "show") && s.isWord(1, "open") && s.isWord(2, "tables"):
		s.replaceAll("SELECT TABLE_SCHEMA AS `Database`, TABLE_NAME AS `Table`, 0 AS `In_use`, 0 AS `Name_locked` FROM information_schema.TABLES WHERE 1 = 0")
	case s.isWord(0, "drop") && s.isWord(1, "table", "tables", "view", "temporary"):
		return s.drop()
	case s.isWord(0, "describe", "desc", "explain"):
		return s.describe()
	default:
		return false
	}
	return true
}

func (s *statement) replaceAll(with string) {
	s.replace(s.tokens[0].From, s.tokens[len(s.tokens)-1].To, with)
}

// DoVariable is set by the rewritten DO, which computes values without showing them;
// the grammar supports only SET. Its value is 0 or 1.
const DoVariable = "@__anon_do"

func (s *statement) rewriteDo() {
	s.replace(s.tokens[0].From, s.tokens[0].To, "SET "+DoVariable+" = (")
	end := s.tokens[len(s.tokens)-1].To
	s.pair()
	open := false
	for begin := 1; begin < len(s.tokens); {
		stop := s.endOf(begin)
		s.replace(s.tokens[begin].From, s.tokens[begin].From, "ISNULL(")
		open = true
		if s.textOf(stop) != "," {
			break
		}
		s.replace(s.tokens[stop].From, s.tokens[stop].To, ")), "+DoVariable+" = (")
		begin, open = stop+1, false
	}
	if open {
		s.replace(end, end, "))")
	}
}

// check rewrites CHECK TABLE, which reports OK for every table: reads and anonsql check
// find damage. A table that does not exist, or that the account may not read, is an
// error.
func (s *statement) check() bool {
	var out []string
	begin := 2
	for i := 2; i <= len(s.tokens); i++ {
		end := i == len(s.tokens) || s.isWord(i, "for", "quick", "fast", "medium", "extended", "changed")
		if !end && s.textOf(i) != "," {
			continue
		}
		if i == begin {
			return false
		}
		name := s.query[s.tokens[begin].From:s.tokens[i-1].To]
		shown := strings.ReplaceAll(name, "`", "")
		if strings.Contains(shown, ".") {
			shown = quoting.Text(shown)
		} else {
			shown = "CONCAT(DATABASE(), " + quoting.Text("."+shown) + ")"
		}
		out = append(out, "SELECT "+shown+" AS `Table`, 'check' AS `Op`, 'status' AS `Msg_type`, 'OK' AS `Msg_text` "+
			"FROM (SELECT 1 AS n) AS __anon_one LEFT JOIN "+name+" AS __anon_checked ON 1 = 0")
		begin = i + 1
		if end {
			break
		}
	}
	s.replaceAll(strings.Join(out, " UNION ALL "))
	return true
}

// drop rewrites DROP TABLES as DROP TABLE, and drops a final CASCADE or RESTRICT, which MySQL ignores; dbt writes DROP VIEW v CASCADE.
func (s *statement) drop() bool {
	last := len(s.tokens) - 1
	tables := 1
	if s.isWord(1, "temporary") {
		tables = 2
	}
	if s.isWord(tables, "tables") {
		s.replace(s.tokens[tables].From, s.tokens[tables].To, "TABLE")
	}
	if !s.isWord(last, "cascade", "restrict") || s.isWord(last-1, "table", "view", "exists") || s.textOf(last-1) == "," || s.textOf(last-1) == "." {
		return false
	}
	s.replace(s.tokens[last].From, s.tokens[last].To, "")
	return true
}

// describe rewrites DESCRIBE t 'pattern' as SHOW COLUMNS, and marks EXPLAIN FORMAT=JSON
// with a comment (JSONMark).
func (s *statement) describe() bool {
	if s.isWord(1, "format") && s.textOf(2) == "=" && (s.isWord(3, "json") || strings.EqualFold(strings.Trim(s.textOf(3), "'\" "), "json")) {
		s.replace(s.tokens[3].From, s.tokens[3].To, "TREE "+JSONMark+" ")
		return false // the explained statement may need rewriting, too
	}
	table := 1
	if len(s.tokens) > 3 && s.tokens[2].Kind == gate.Dot {
		table = 3
	}
	name := func(i int) bool { return s.tokens[i].Kind == gate.Word || s.tokens[i].Kind == gate.Quoted }
	if len(s.tokens) != table+2 || !name(1) || !name(table) || s.isWord(1, "select", "table", "for", "update", "delete", "insert", "with", "analyze") {
		return false
	}
	pattern := s.textOf(table + 1)
	switch s.tokens[table+1].Kind {
	case gate.Text:
	case gate.Word, gate.Quoted:
		pattern = quoting.Text(strings.Trim(pattern, "`"))
	default:
		return false
	}
	s.replace(s.tokens[0].From, s.tokens[0].To, "SHOW COLUMNS FROM")
	s.replace(s.tokens[table+1].From, s.tokens[table+1].To, "LIKE "+pattern)
	return true
}

// JSONMark is the comment that marks EXPLAIN FORMAT=JSON.
const JSONMark = "/*__anon_json*/"
