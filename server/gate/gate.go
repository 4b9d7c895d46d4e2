// Package gate bounds the text of a statement before recursive or superlinear code sees
// it: the engine's tokenizer, its parser, its binder and rules, and our own walks over
// its trees. A stack overflow ends the process, and no recover() catches it.
//
//  1. One pass over the tokens, without recursion and without allocation, in
//     time linear in the text. It stops at the first bound that is exceeded.
//  2. Tokens are those of the engine's tokenizer (scan.go), so that nothing hides
//     from the gate in what only the gate takes for a string or a comment.
//  3. The counted depth is never less than the depth of the parser's tree. A word that
//     may be a name or a keyword counts as the deeper of the two.
//  4. Long, flat texts are not deep: only the size of the text bounds rows of an
//     INSERT, lists and columns.
//  5. Each statement of a text is counted separately; the body of a routine belongs to
//     its statement.
//
// Its scanner differs from the lexer of proxy, which reads a text as the owner's own server will, by character set and sql_mode. The two
// disagree about where a string or a comment ends (TestHostileTexts in proxy), and a string of one might hide statements from the other.
//
// It does not parse: a text that passes may still be invalid. Packages that rewrite a
// passed text use its tokens ([Tokens]); the result is bounded again.
package gate

// Limits are the bounds of one statement.
type Limits struct {
	// Nesting (at least 1) bounds the depth of expressions: parentheses, functions,
	// CASE, prefix operators and chains of arithmetic, counted along one path from the
	// statement to a value.
	Nesting int
	// Terms (at least 1) bounds the conditions that AND, OR and XOR join along such a
	// path, the JOINs and UNIONs of a query, the branches of a CASE, and the blocks of
	// a routine.
	Terms int
}

// MaxPlaceholders bounds the ? of one statement. As in MySQL, the protocol counts them
// in two bytes.
const MaxPlaceholders = 65535

// MaxDigits bounds the length of a number, in bytes. MySQL's numbers have at most 65
// digits; the engine's time grows with the square of the length. Hexadecimal and bit
// values are texts, and not bounded here.
const MaxDigits = 1000

// A Bound says which limit a statement exceeds.
type Bound int

// The bounds.
const (
	Nesting Bound = iota + 1
	Operators
	Terms
	Placeholders
	Digits
)

// A Refusal says why a text does not pass.
type Refusal struct {
	Bound Bound
	// Limit is the greatest number that passes.
	Limit int
	// At is the number of bytes read.
	At int
}

// A Reading describes a text that passed.
type Reading struct {
	// End is the number of bytes read: the first statement with its semicolon, or all.
	End int
	// Extended means that the text contains a word of a clause that the engine's grammar
	// lacks: ROLLUP, MEDIAN, PERCENTILE_CONT, PERCENTILE_DISC.
	Extended bool
}

// Read checks a text against limits, or only its first statement if first. ansi is ANSI_QUOTES.
func Read(text string, ansi, first bool, limits Limits) (Reading, *Refusal) {
	c := counter{scanner: newScanner(text, ansi, limits.Nesting), limits: limits, first: first}
	if bound := c.count(); bound != 0 {
		return Reading{}, &Refusal{Bound: bound, Limit: limits.limitFor(bound), At: c.at}
	}
	return Reading{c.at, c.extended}, nil
}

func (l Limits) limitFor(b Bound) int {
	switch b {
	case Nesting, Operators:
		return l.Nesting
	case Terms:
		return l.Terms
	case Digits:
		return MaxDigits
	}
	return MaxPlaceholders
}

// isHexadecimal recognises 0x4F, x'4F' and b'01' by their second byte.
func isHexadecimal(second byte) bool { return second|0x20 == 'x' || second == '\'' }

// preallocatedFrames is the number of frames that need no allocation.
const preallocatedFrames = 32

// A frame is a pair of parentheses, a CASE, or the statement itself. It has
// segments, between commas, and segments have conditions, between AND and OR.
type frame struct {
	isCase bool
	// operators of the condition, and the greatest depth below them.
	operators, below int32
	deepest          int32 // of the conditions before
	// terms of the segment, and the most along a path below them.
	terms, termsBelow int32
	most              int32 // of the segments before
	// joined are the JOINs and UNIONs, or the branches.
	joined int32
}

type counter struct {
	scanner
	limits Limits
	first  bool // only the first statement counts
	// few are the first frames, which need no allocation, and more those in them;
	// last is the number of the last one.
	few  [preallocatedFrames]frame
	more []frame
	last int
	// depth are the operators and frames that are open, terms the terms.
	depth, terms int
	// work is the sum of the squares of operator depths, the engine's worst-case cost.
	work         int64
	placeholders int
	routine      int  // blocks of a routine; -1 in other statements
	words        int  // of the statement
	creates      bool // it begins with CREATE or ALTER
	started      bool // a token other than ; was read
	extended     bool
}

// count reads to the end, or until a limit is exceeded.
func (c *counter) count() Bound {
	c.routine = -1
	waiting := plain // a keyword that is none when a dot follows
	behindDot, behindEnd := false, false
	for {
		k := c.next()
		ended := false
		if waiting != plain && k != dot {
			if bound := c.meet(waiting, behindEnd); bound != 0 {
				return bound
			}
			ended = waiting == endWord
		}
		waiting, behindEnd = plain, ended && k == word
		var bound Bound
		switch k {
		case end:
			return 0
		case tooMany:
			return Nesting
		case word:
			if !behindDot {
				waiting = c.class()
			}
		case number:
			if c.at-c.from > MaxDigits && !isHexadecimal(c.text[c.from+1]) {
				bound = Digits
			}
		case sign:
			bound = c.operator()
		case open:
			bound = c.push(false)
		case close:
			c.pop()
		case comma:
			c.endSegment()
		case semicolon:
			if c.first && c.routine < 0 && c.started {
				return 0
			}
			c.endStatement()
		}
		if bound != 0 {
			return bound
		}
		behindDot = k == dot
		c.started = c.started || k != semicolon
	}
}

func (c *counter) top() *frame {
	if c.last < preallocatedFrames {
		return &c.few[c.last]
	}
	return &c.more[c.last-preallocatedFrames]
}

// operator counts the sign just read.
func (c *counter) operator() Bound {
	first := c.text[c.from]
	switch first {
	case '%':
		return c.countTwice()
	case '+', '-', '*', '/', '^', '<', '>', '=', '!', '~', ':':
		return c.countDeeper()
	case '&', '|':
		if c.at-c.from == 2 {
			return c.term()
		}
		return c.countDeeper()
	case '?':
		if c.placeholders++; c.placeholders > MaxPlaceholders {
			return Placeholders
		}
	}
	return 0
}

// countTwice counts an operator as two: the engine's time for % is cubic in the depth,
// not quadratic.
func (c *counter) countTwice() Bound {
	if bound := c.countDeeper(); bound != 0 {
		return bound
	}
	return c.countDeeper()
}

// cheap is the depth up to which the cost of operators is negligible.
const cheap = 8

// countDeeper counts an operator of the condition.
func (c *counter) countDeeper() Bound {
	f := c.top()
	f.operators++
	c.depth++
	depth := c.depth + int(f.below)
	if depth > c.limits.Nesting {
		return Nesting
	}
	if depth > cheap {
		c.work += int64(depth) * int64(depth)
		if l := int64(c.limits.Nesting); c.work > l*l*l/2 {
			return Operators
		}
	}
	return 0
}

// term counts an AND, and begins another condition.
func (c *counter) term() Bound {
	c.endCondition()
	f := c.top()
	f.terms++
	c.terms++
	if c.terms+int(f.termsBelow) > c.limits.Terms {
		return Terms
	}
	return 0
}

func (c *counter) endCondition() {
	f := c.top()
	f.deepest = max(f.deepest, f.operators+f.below)
	c.depth -= int(f.operators)
	f.operators, f.below = 0, 0
}

func (c *counter) endSegment() {
	c.endCondition()
	f := c.top()
	f.most = max(f.most, f.terms+f.termsBelow)
	c.terms -= int(f.terms)
	f.terms, f.termsBelow = 0, 0
}

// push opens a frame, which is one level.
func (c *counter) push(isCase bool) Bound {
	if isCase {
		// Counted here, since an END that is a name may close the frame too early.
		if bound := c.countDeeper(); bound != 0 {
			return bound
		}
	}
	if c.last++; c.last-preallocatedFrames >= len(c.more) && c.last >= preallocatedFrames {
		c.more = append(c.more, frame{})
	}
	*c.top() = frame{isCase: isCase}
	if c.depth++; c.depth > c.limits.Nesting {
		return Nesting
	}
	return 0
}

// pop closes a pair of parentheses, and every CASE in it without an END.
func (c *counter) pop() {
	for c.top().isCase {
		c.fold()
	}
	if c.last > 0 {
		c.fold()
	}
}

// fold closes the last frame.
func (c *counter) fold() {
	c.endSegment()
	f := *c.top()
	c.last--
	c.depth--
	outer := c.top()
	outer.below = max(outer.below, f.deepest+1)
	outer.termsBelow = max(outer.termsBelow, f.most)
}

// endStatement begins another statement, or goes on in the body of a routine.
func (c *counter) endStatement() {
	if c.routine >= 0 {
		c.endSegment()
		return
	}
	c.few[0], c.last = frame{}, 0
	c.depth, c.terms, c.work, c.placeholders, c.words = 0, 0, 0, 0, 0
	c.creates = false
}
