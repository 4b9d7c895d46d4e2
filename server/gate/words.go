package gate

import "strings"

// A class is the effect of a word on the counts.
type class uint8

const (
	plain    class = iota
	operator       // one more level: NOT, LIKE, COLLATE
	modulo         // two more levels
	junction       // AND, OR, XOR
	clause         // begins another segment: SELECT, FROM, WHERE
	joining        // JOIN, UNION
	caseWord
	when   // begins a branch of a CASE
	branch // THEN, ELSE of a CASE
	endWord
	create  // CREATE and ALTER
	routine // PROCEDURE and the like behind CREATE
	block   // of a routine
	extension
)

// keywords are the words that count. The clauses among them are reserved: in an
// expression they can be names only next to a dot.
var keywords = sorted(map[string]class{
	"not": operator, "binary": operator, "div": operator, "mod": modulo, "like": operator, "rlike": operator, "regexp": operator,
	"in": operator, "is": operator, "between": operator, "collate": operator, "escape": operator, "interval": operator, "for": operator,
	"exists": operator, "sounds": operator, "member": operator, "any": operator, "all": operator, "some": operator, "prior": operator,
	"and": junction, "or": junction, "xor": junction,
	"select": clause, "from": clause, "where": clause, "having": clause, "on": clause,
	"join": joining, "straight_join": joining, "union": joining, "intersect": joining, "except": joining,
	"case": caseWord, "when": when, "then": branch, "else": branch, "end": endWord,
	"begin": block, "if": block, "elseif": block, "loop": block, "while": block, "repeat": block, "handler": block,
	"create": create, "alter": create, "procedure": routine, "function": routine, "trigger": routine, "event": routine,
	"rollup": extension, "median": extension, "percentile_cont": extension, "percentile_disc": extension,
})

type keyword struct {
	text string // in lower case
	class
}

// A lexicon finds words by their first and last letter.
type lexicon [1024][]keyword

func sorted(words map[string]class) *lexicon {
	var l lexicon
	for text, c := range words {
		at := slot(text[0], text[len(text)-1])
		l[at] = append(l[at], keyword{text, c})
	}
	return &l
}

func slot(first, last byte) int { return int(first&31)<<5 | int(last&31) }

// class returns the class of the word just read.
func (c *counter) class() class {
	c.words++
	text := c.text[c.from:c.at]
	if text[0] == '_' { // the character set of a string
		return operator
	}
	for _, k := range keywords[slot(text[0], text[len(text)-1])] {
		if len(k.text) == len(text) && strings.EqualFold(k.text, text) {
			return k.class
		}
	}
	return plain
}

// routineWithin is the number of words of a statement among which PROCEDURE is recognised.
const routineWithin = 16

// meet counts a keyword.
func (c *counter) meet(k class, behindEnd bool) Bound {
	switch k {
	case operator:
		return c.countDeeper()
	case modulo:
		return c.countTwice()
	case junction:
		return c.term()
	case clause:
		c.clause()
	case joining:
		return c.join()
	case caseWord:
		if c.routine < 0 || !behindEnd {
			return c.push(true)
		}
	case when, branch:
		if c.top().isCase {
			return c.branch(k == when)
		}
	case endWord:
		if c.top().isCase {
			c.fold()
		}
	case block:
		if c.routine >= 0 && !behindEnd {
			if c.routine++; c.routine > c.limits.Terms {
				return Terms
			}
		}
	case extension:
		c.extended = true
	case create:
		c.creates = c.creates || c.words <= 2
	case routine:
		if c.creates && c.routine < 0 && c.words <= routineWithin {
			c.routine = 0
		}
	}
	return 0
}

// branch begins a segment of a CASE.
func (c *counter) branch(counts bool) Bound {
	c.endSegment()
	if !counts {
		return 0
	}
	f := c.top()
	if f.joined++; int(f.joined) > c.limits.Terms {
		return Terms
	}
	return 0
}

// clause begins a segment of the query, not inside a CASE.
func (c *counter) clause() {
	if !c.top().isCase {
		c.endSegment()
	}
}

// join counts a JOIN or a set operation, which deepens the query's tree by one level.
func (c *counter) join() Bound {
	c.clause()
	f := c.top()
	if f.joined++; int(f.joined) > c.limits.Terms {
		return Terms
	}
	return 0
}
