package proxy

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// A kind says what to do with a statement.
type kind int

const (
	passedOn     kind = iota // passed on
	answeredHere             // answered here
	useDatabase              // USE of a database: statement.name
	warnings                 // SHOW WARNINGS, SHOW ERRORS, GET DIAGNOSTICS: goes to whoever answered last
	kill                     // of a session or its statement: statement.name is its number
	allDatabases             // SHOW DATABASES: upstream's and ours
)

// A statement is one statement of a command's text.
type statement struct {
	kind     kind
	text     string
	name     string
	variable string // first user variable in it, "" for none
}

// A vocabulary knows the product's names.
type vocabulary struct {
	database, procedure, tableFunction func(name string) bool
	function, variable                 func(name string) bool // of those that begin with anon_
}

// split cuts a text into statements and classifies each. here says that the current database is ours at the beginning.
func (v vocabulary) split(text string, here bool, as reading) []statement {
	var found []statement
	l := &lexer{reading: as, text: text}
	begun := 0
	var tokens []token
	compound := false // the body of a routine has semicolons of its own, and is upstream's
	block := false    // the statement may have a block: its first semicolon tells
	blocks := sync.OnceValue(func() int { return lastBlock(text, as) })
	for {
		t, ok := l.next()
		if ok && t.is(";") && !compound && !block {
			block = len(tokens) > 0 && mayHaveBlock(tokens)
		}
		if ok && (!t.is(";") || compound || block && t.end < blocks()) {
			compound = compound || len(tokens) > 0 && (t.is("BEGIN") && tokens[0].is("CREATE") || t.is("NOT") && tokens[0].is("BEGIN"))
			tokens = append(tokens, t)
			continue
		}
		end := len(text)
		if ok {
			end = t.end - 1
		}
		if len(tokens) > 0 {
			s := v.recognise(tokens, here)
			s.text, s.variable = text[begun:end], userVariable(tokens)
			found = append(found, s)
			if s.kind == useDatabase {
				here = v.database(s.name)
			}
		}
		if !ok {
			return found
		}
		begun, tokens, block = t.end, tokens[:0], false
	}
}

// blockWords begin blocks, which end with END and the same word.
var blockWords = []string{"CASE", "FOR", "IF", "LOOP", "REPEAT", "WHILE"}

// lastBlock is where the last block of a text ends, but for those of BEGIN, and 0 if there is none.
func lastBlock(text string, as reading) (end int) {
	l := &lexer{reading: as, text: text}
	for before, ok := l.next(); ok; {
		var t token
		if t, ok = l.next(); ok && before.is("END") && slices.ContainsFunc(blockWords, t.is) {
			end = t.end
		}
		before = t
	}
	return end
}

// mayHaveBlock says whether a statement is a block, or makes a routine, a trigger or an event.
func mayHaveBlock(tokens []token) bool {
	if !tokens[0].is("CREATE") {
		return slices.ContainsFunc(blockWords, tokens[0].is)
	}
	for _, t := range tokens {
		switch {
		case slices.ContainsFunc([]string{"EVENT", "FUNCTION", "PACKAGE", "PROCEDURE", "TRIGGER"}, t.is):
			return true
		case slices.ContainsFunc([]string{"INDEX", "TABLE", "USER", "VIEW"}, t.is): // whose columns may have such names
			return false
		}
	}
	return false
}

// isUnambiguous says whether a text has the same statements in every character set that a client may have, with ANSI_QUOTES and without.
func (v vocabulary) isUnambiguous(text string, here, noEscapes bool, found []statement) bool {
	sets := []wide{nil}
	if hasAmbiguousByte(text) {
		sets = slices.AppendSeq(sets, maps.Values(wideSets))
	}
	for _, ansiQuotes := range []bool{false, true} {
		if ansiQuotes && !strings.Contains(text, `"`) {
			break
		}
		for _, set := range sets {
			if (ansiQuotes || set != nil) && !slices.Equal(found, v.split(text, here, reading{noEscapes, ansiQuotes, set})) {
				return false
			}
		}
	}
	return true
}

// hasAmbiguousByte reports whether a non-ASCII byte precedes a backslash or a backquote.
func hasAmbiguousByte(text string) bool {
	for i := 1; i < len(text); i++ {
		if (text[i] == '\\' || text[i] == '`') && text[i-1] >= 0x80 {
			return true
		}
	}
	return false
}

// recognise classifies a statement of at least one token.
func (v vocabulary) recognise(tokens []token, here bool) statement {
	first := tokens[0]
	at := func(i int) token {
		if i < len(tokens) {
			return tokens[i]
		}
		return token{kind: literal}
	}
	switch {
	case first.is("USE") && (at(1).kind == word || at(1).kind == quotedName):
		return statement{kind: useDatabase, name: at(1).text}
	case first.is("SHOW") && (at(1).is("WARNINGS") || at(1).is("ERRORS") || at(1).is("COUNT") && (at(5).is("WARNINGS") || at(5).is("ERRORS"))),
		first.is("GET") && at(1).is("DIAGNOSTICS"), first.is("GET") && at(2).is("DIAGNOSTICS"):
		return statement{kind: warnings}
	case first.is("KILL"):
		return statement{kind: kill, name: killedNumber(tokens[1:])}
	case first.is("SHOW") && (at(1).is("DATABASES") || at(1).is("SCHEMAS")) && len(tokens) == 2 && !here:
		return statement{kind: allDatabases}
	case here || v.named(tokens):
		return statement{kind: answeredHere}
	}
	return statement{kind: passedOn}
}

// killedNumber is the number of a connection that stands behind KILL, "" for what is none, such as that of a query.
func killedNumber(tokens []token) string {
	for _, words := range [][]string{{"HARD", "SOFT"}, {"CONNECTION", "QUERY"}} {
		if len(tokens) > 0 && slices.ContainsFunc(words, tokens[0].is) {
			tokens = tokens[1:]
		}
	}
	if len(tokens) != 1 || tokens[0].kind != word {
		return ""
	}
	return tokens[0].text
}

// named says whether a statement names something of ours.
func (v vocabulary) named(tokens []token) bool {
	first := tokens[0]
	if first.is("CALL") {
		return v.calls(tokens[1:])
	}
	settles := first.is("SET") || first.is("SHOW")
	for i, t := range tokens {
		if t.kind != word && t.kind != quotedName {
			continue
		}
		before, after := token{kind: literal}, token{kind: literal}
		if i > 0 {
			before = tokens[i-1]
		}
		if i+1 < len(tokens) {
			after = tokens[i+1]
		}
		switch {
		case v.database(t.text) && (after.is(".") && !before.is(".") || first.is("SHOW") && (before.is("FROM") || before.is("IN"))):
			return true
		case t.kind == word && strings.HasPrefix(strings.ToLower(t.text), "anon_") &&
			(after.is("(") && (v.function(t.text) || v.tableFunction(t.text)) || (settles || systemVariable(tokens, i)) && v.variable(t.text)):
			return true
		case after.is("(") && (before.is("FROM") || before.is("JOIN") || before.is(",")) && v.tableFunction(t.text):
			return true
		}
	}
	return false
}

// userVariable returns the first user variable of a statement, "" for none. In statements about accounts, @ precedes names of hosts.
func userVariable(tokens []token) string {
	if slices.ContainsFunc([]string{"GRANT", "REVOKE", "ALTER", "DROP", "RENAME", "SHOW", "KILL"}, tokens[0].is) ||
		len(tokens) > 1 && (tokens[0].is("CREATE") && (tokens[1].is("USER") || tokens[1].is("ROLE")) || tokens[0].is("SET") && tokens[1].is("PASSWORD")) {
		return ""
	}
	for i := 1; i < len(tokens); i++ {
		if tokens[i-1].is("@") && (i < 2 || !tokens[i-2].is("@")) && !tokens[i].is("@") {
			return "@" + tokens[i].text
		}
	}
	return ""
}

// systemVariable reports whether a word names a system variable: after @@, or after @@session and a point.
func systemVariable(tokens []token, i int) bool {
	if i >= 2 && tokens[i-1].is(".") {
		i -= 2
	}
	return i >= 2 && tokens[i-1].is("@") && tokens[i-2].is("@")
}

// calls reports whether a CALL names a procedure of ours: unqualified, or in a database of ours.
func (v vocabulary) calls(tokens []token) bool {
	if len(tokens) >= 2 && tokens[1].is(".") {
		return v.database(tokens[0].text)
	}
	return len(tokens) > 0 && v.procedure(tokens[0].text)
}
