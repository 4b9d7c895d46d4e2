package regularexpression

import (
	"regexp/syntax"
	"strings"
)

// unimplementedGroups are the groups that linear time rules out. Longer openings come before their prefixes.
var unimplementedGroups = []struct{ opening, name, wayOut string }{
	{"(?<=", "the look-behind (?<=", "match what is before too, and take the part that you want by REGEXP_REPLACE(x, '.*before(wanted).*', '$1')"},
	{"(?<!", "the negative look-behind (?<!", "write the condition twice: x REGEXP 'a' AND x NOT REGEXP 'ba'"},
	{"(?=", "the look-ahead (?=", "write two conditions: x REGEXP 'a' AND x REGEXP 'b'"},
	{"(?!", "the negative look-ahead (?!", "write two conditions: x REGEXP 'a' AND x NOT REGEXP 'b'"},
	{"(?>", "the atomic group (?>", "write (?: instead: matching takes linear time anyway"},
	{"(?{", "(?{", "code in patterns is not executed"},
	{"(?(", "the conditional group (?(", "write both cases as alternatives"},
}

// group reads what follows an opening parenthesis at start. It returns nil for comments and for flags without a group
// of their own.
func (p *parser) group(start int) (*syntax.Regexp, error) {
	for _, g := range unimplementedGroups {
		if strings.HasPrefix(p.text[start:], g.opening) {
			return nil, p.unimplemented(start, g.name, g.wayOut)
		}
	}
	switch {
	case p.take("?#"):
		end := strings.IndexByte(p.text[p.at:], ')')
		if end < 0 {
			return nil, p.unclosed(start)
		}
		p.at += end + 1
		return nil, nil
	case p.take("?<"):
		name, err := p.groupName(start)
		if err != nil {
			return nil, err
		}
		if _, twice := p.names[name]; twice {
			return nil, p.wrongAt(start, InvalidGroupName, "there are two groups named "+name+"; the second is")
		}
		p.names[name] = p.groups + 1
		return p.capture(start)
	case p.take("?:"):
		return p.parseGroup(start)
	case p.take("?"):
		return p.flagGroup(start)
	}
	return p.capture(start)
}

func (p *parser) unclosed(start int) error {
	return p.wrongAt(start, MismatchedParen, "a ( that nothing closes, write \\( for the character,")
}

func (p *parser) groupName(start int) (string, error) {
	name, _, closed := strings.Cut(p.text[p.at:], ">")
	if !closed || !isGroupName(name) {
		return "", p.wrongAt(start, InvalidGroupName, "a name is an ASCII letter, then ASCII letters and digits, and > behind it; the group is")
	}
	p.at += len(name) + 1
	return name, nil
}

func isGroupName(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

func (p *parser) capture(start int) (*syntax.Regexp, error) {
	p.groups++
	number := p.groups
	inside, err := p.parseGroup(start)
	if err != nil {
		return nil, err
	}
	return &syntax.Regexp{Op: syntax.OpCapture, Cap: number, Sub: []*syntax.Regexp{inside}}, nil
}

// parseGroup reads up to the group's end, and restores the flags.
func (p *parser) parseGroup(start int) (*syntax.Regexp, error) {
	before := p.flags
	tree, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, p.unclosed(start)
	}
	p.flags = before
	return tree, nil
}

// flagGroup reads (?ims-x) and (?ims-x: ... ).
func (p *parser) flagGroup(start int) (*syntax.Regexp, error) {
	on := true
	changed := p.flags
	for {
		letter := p.next()
		switch letter {
		case 'i':
			changed.ignoreCase = on
		case 'm':
			changed.multiline = on
		case 's':
			changed.dotAll = on
		case 'x':
			changed.comments = on
		case '-':
			if !on {
				return nil, p.wrongAt(start, InvalidFlag, "two - in the group")
			}
			on = false
		case 'w':
			return nil, p.unimplemented(start, "the flag w", "\\b knows letters, digits and underscores of all scripts without it")
		case ')':
			if p.at == start+len("(?)") {
				return nil, p.wrongAt(start, InvalidFlag, "the flags are i, m, s and x, and there is none in the group")
			}
			p.flags = changed
			return nil, nil
		case ':':
			before := p.flags
			p.flags = changed
			tree, err := p.parseGroup(start)
			p.flags = before
			return tree, err
		case noCharacter:
			return nil, p.wrongAt(start, InvalidFlag, "the flags are not closed in the group")
		default:
			return nil, p.wrongAt(start, InvalidFlag, "the flags are i, m, s and x, not "+string(letter)+", in the group")
		}
	}
}
