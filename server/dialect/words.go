package dialect

import (
	"maps"
	"regexp"
	"strings"

	"github.com/anonsql/anonsql/server/gate"
)

// Words that the grammar reserves, and MySQL does not, are quoted as names. calledWords are names unless they are called:
// STDDEV(x) AS stddev.
var (
	calledWords = set("bit_and bit_or bit_xor group_concat json_arrayagg json_objectagg now std stddev stddev_pop stddev_samp substr substring " +
		"var_pop var_samp variance")
	keptWords = set("copy encrypted encryption_key_id exclusive inplace itef_quotes page_checksum page_compressed page_compression_level plan shared " +
		"transactional yes")
	// nameWords are both.
	nameWords = func() map[string]bool {
		all := maps.Clone(calledWords)
		maps.Copy(all, keptWords)
		return all
	}()
	// modifiers are words that may follow a statement's first word and do not affect its answer.
	modifiers = map[string]map[string]bool{
		"select":  set("high_priority sql_small_result sql_big_result sql_buffer_result"),
		"insert":  set("low_priority high_priority delayed"),
		"replace": set("low_priority delayed"),
		"update":  set("low_priority"),
		"delete":  set("low_priority quick ignore"),
	}
	modifierWords = func() map[string]bool {
		all := map[string]bool{}
		for _, words := range modifiers {
			maps.Copy(all, words)
		}
		return all
	}()
	aggregates = set("sum count avg min max std stddev stddev_pop stddev_samp variance var_pop var_samp bit_and bit_or bit_xor")
)

// hasWord reports whether words may rewrite a token.
func (s *statement) hasWord(i int) bool {
	switch s.tokens[i].Kind {
	case gate.Word:
		return s.isName(i) || s.isForeign(i) || s.isHint(i) || s.isAll(i) || s.isWhole(i) || s.isModifier(i) || s.isDistinctRow(i) || s.isLock(i)
	case gate.Quoted:
		return s.isBits(i)
	case gate.Sign:
		return s.isForeign(i)
	}
	return false
}

var bits = regexp.MustCompile(`^0b[01]+\s*$`)

// isBits matches 0b101, which is a name to the grammar.
func (s *statement) isBits(i int) bool {
	return s.tokens[i].Kind == gate.Quoted && s.textOf(i-1) != "." && bits.MatchString(s.textOf(i))
}

// words quotes names that the grammar does not read, and drops words without effect: ALL in an aggregate, the INT of SIGNED INT,
// the purpose of an index hint, the priority of a statement.
func (s *statement) words() {
	for i := 0; i < len(s.tokens); i++ {
		switch {
		case s.isBits(i):
			s.replace(s.tokens[i].From, s.tokens[i].To, "b'"+strings.TrimSpace(s.textOf(i))[2:]+"' ")
		case s.isForeign(i):
			end := i
			for end+1 < len(s.tokens) && s.adjoins(end) {
				end++
			}
			s.quote(i, end)
			i = end
		case s.isName(i):
			s.quote(i, i)
		case s.isAll(i), s.isWhole(i), s.isModifier(i):
			s.replace(s.tokens[i].From, s.tokens[i].To, "")
		case s.isDistinctRow(i):
			s.replace(s.tokens[i].From, s.tokens[i].To, "DISTINCT")
		case s.isHint(i):
			s.hint(i)
		case s.isLock(i):
			s.lock(i)
		}
	}
}

func (s *statement) quote(first, last int) {
	s.replace(s.tokens[first].From, s.tokens[first].From, "`")
	s.replace(s.tokens[last].To, s.tokens[last].To, "`")
}

// isName matches a word that MySQL reads as a name.
func (s *statement) isName(i int) bool {
	explains := i == 1 && s.isWord(0, "explain", "desc", "describe") && len(s.tokens) > 2 // EXPLAIN PLAN SELECT
	if !s.isWordOf(i, nameWords) || s.isWord(0, "grant", "revoke", "show") || explains {
		return false
	}
	if s.isWordOf(i, calledWords) {
		return s.textOf(i+1) != "("
	}
	option := s.defines() && (s.textOf(i-1) == "=" || s.textOf(i+1) == "=" || s.isWord(i-1, "algorithm", "lock"))
	return !option
}

// isForeign matches the beginning of a name with letters beyond ASCII, each byte of which is a token.
func (s *statement) isForeign(i int) bool {
	if i > 0 && s.isPart(i-1) && s.tokens[i-1].To == s.tokens[i].From || !s.isPart(i) {
		return false
	}
	for ; i < len(s.tokens) && s.isPart(i); i++ {
		if s.isBeyond(i) {
			return true
		}
		if !s.adjoins(i) {
			return false
		}
	}
	return false
}

// adjoins reports whether a name continues after a token.
func (s *statement) adjoins(i int) bool {
	return i+1 < len(s.tokens) && s.tokens[i].To == s.tokens[i+1].From && s.isPart(i+1)
}

// isPart matches a token that may be part of a name.
func (s *statement) isPart(i int) bool {
	switch s.tokens[i].Kind {
	case gate.Word:
		return s.textOf(i)[0] != '_' || s.tokens[i].To-s.tokens[i].From == 1 || i+1 < len(s.tokens) && s.isBeyond(i+1)
	case gate.Number:
		return i > 0 && s.tokens[i-1].To == s.tokens[i].From && (s.isBeyond(i-1) || s.tokens[i-1].Kind == gate.Word)
	}
	return s.isBeyond(i)
}

func (s *statement) isBeyond(i int) bool {
	return s.tokens[i].Kind == gate.Sign && s.query[s.tokens[i].From] >= 0x80
}

// isAll matches the ALL of SUM(ALL x).
func (s *statement) isAll(i int) bool {
	return s.isWord(i, "all") && s.textOf(i-1) == "(" && s.isWordOf(i-2, aggregates)
}

// isWhole matches the INT of CAST(x AS SIGNED INT).
func (s *statement) isWhole(i int) bool {
	return s.isWord(i, "int") && s.isWord(i-1, "signed", "unsigned") && (s.isWord(i-2, "as") || s.textOf(i-2) == ",") && s.textOf(i+1) == ")"
}

// isModifier matches the HIGH_PRIORITY of SELECT HIGH_PRIORITY a.
func (s *statement) isModifier(i int) bool {
	if !s.isWordOf(i, modifierWords) || i == 0 || i+1 >= len(s.tokens) || s.textOf(i+1) == "," || s.textOf(i+1) == "." || s.textOf(i-1) == "." {
		return false
	}
	first := i - 1
	for first > 0 && (s.isWordOf(first, modifierWords) ||
		s.isWord(first, "all", "distinct", "distinctrow", "straight_join", "sql_no_cache", "sql_calc_found_rows")) {
		first--
	}
	verb := strings.ToLower(s.textOf(first))
	return s.isWordOf(i, modifiers[verb]) && (verb != "select" || !s.isWord(i+1, "from"))
}

// isDistinctRow matches DISTINCTROW, a synonym of DISTINCT.
func (s *statement) isDistinctRow(i int) bool {
	return s.isWord(i, "distinctrow") && (s.isWord(i-1, "select") || s.isWordOf(i-1, modifierWords))
}

// isHint matches the INDEX of USE INDEX.
func (s *statement) isHint(i int) bool {
	return s.isWord(i, "index", "key") && s.isWord(i-1, "use", "force", "ignore") && (s.isWord(i+1, "for") || s.textOf(i+1) == "(")
}

// hint drops FOR JOIN, FOR ORDER BY and FOR GROUP BY, and quotes PRIMARY.
func (s *statement) hint(i int) {
	open := i + 1
	for open < min(i+4, len(s.tokens)) && s.textOf(open) != "(" {
		open++
	}
	if s.textOf(open) != "(" || s.partner[open] < 0 {
		return
	}
	if open > i+1 {
		s.replace(s.tokens[i+1].From, s.tokens[open-1].To, "")
	}
	for at := open + 1; at < s.partner[open]; at++ {
		if s.isWord(at, "primary") {
			s.quote(at, at)
		}
	}
}

// unquoted removes the quotes of a text.
func unquoted(text string) string { return strings.Trim(text, `'" `) }
