package regularexpression

import (
	"context"
	"strings"
	"unicode/utf8"
)

// Groups is the number of capturing groups.
func (p *Pattern) Groups() int { return p.groups }

// Instructions is the size of the program. It may be slightly greater than MaxProgram.
func (p *Pattern) Instructions() int { return len(p.program.Inst) }

// Like reports whether p matches anywhere in text.
func (p *Pattern) Like(ctx context.Context, text string) (bool, error) {
	_, found, err := p.Match(ctx, text, 0, -1)
	return found, err
}

// byteOf returns the byte at a character position, counted from 1. The position after the last character is valid;
// positions beyond are error 3686.
func byteOf(text string, position int64) (int, error) {
	at := 0
	for left := position - 1; left > 0 && at < len(text); left-- {
		_, width := utf8.DecodeRuneInString(text[at:])
		at += width
		position--
	}
	if position != 1 {
		return 0, wrong(OutOfBounds, "the position must be from 1 to 1 + the number of characters of the text")
	}
	return at, nil
}

// Find returns the occurrence-th match at or after a character position; occurrences below 1 mean the first. Its
// places are those of [Pattern.Match] for this number of groups.
func (p *Pattern) Find(ctx context.Context, text string, position, occurrence int64, groups int) (places []int, found bool, err error) {
	at, err := byteOf(text, position)
	if err != nil {
		return nil, false, err
	}
	places, found, err = p.Match(ctx, text, at, groups)
	for ; found && err == nil && occurrence > 1; occurrence-- {
		places, found, err = p.findAfter(ctx, text, places, groups)
	}
	return places, found && err == nil, err
}

// findAfter finds the match after another one. It does not find an empty match twice.
func (p *Pattern) findAfter(ctx context.Context, text string, places []int, groups int) ([]int, bool, error) {
	at := places[1]
	if places[0] == places[1] {
		if at >= len(text) {
			return nil, false, nil
		}
		_, width := utf8.DecodeRuneInString(text[at:])
		at += width
	}
	return p.Match(ctx, text, at, groups)
}

// Position returns the character position of a byte of text, counted from 1.
func Position(text string, at int) int64 { return 1 + int64(utf8.RuneCountInString(text[:at])) }

// Replace replaces the occurrence-th match, or all matches for occurrence 0. The replacement has MySQL's syntax: $1,
// ${name}, and \ before a literal character. fits is false if the result would have more than most bytes.
func (p *Pattern) Replace(ctx context.Context, text, replacement string, position, occurrence int64, most int) (_ string, fits bool, err error) {
	parts, groups, err := p.template(replacement)
	if err != nil {
		return "", false, err
	}
	places, found, err := p.Find(ctx, text, position, occurrence, groups)
	if err != nil {
		return "", false, err
	}
	var out strings.Builder
	copied := 0
	for found {
		out.WriteString(text[copied:places[0]])
		copied = places[1]
		for _, part := range parts {
			out.WriteString(part.expand(text, places))
		}
		if out.Len() > most {
			return "", false, nil
		}
		if occurrence != 0 {
			break
		}
		if places, found, err = p.findAfter(ctx, text, places, groups); err != nil {
			return "", false, err
		}
	}
	if out.Len()+len(text)-copied > most {
		return "", false, nil
	}
	out.WriteString(text[copied:])
	return out.String(), true, nil
}

// A piece of a replacement is a group, or a text if group is negative.
type piece struct {
	text  string
	group int
}

func (t piece) expand(text string, places []int) string {
	if t.group < 0 {
		return t.text
	}
	if places[2*t.group] < 0 || places[2*t.group+1] < 0 {
		return ""
	}
	return text[places[2*t.group]:places[2*t.group+1]]
}

// template parses a replacement; groups is the highest group that it names.
func (p *Pattern) template(replacement string) (parts []piece, groups int, err error) {
	for i := 0; i < len(replacement); {
		switch special := strings.IndexAny(replacement[i:], `$\`); {
		case special != 0:
			if special < 0 {
				special = len(replacement) - i
			}
			parts = append(parts, piece{replacement[i : i+special], -1})
			i += special
		case replacement[i] == '\\':
			r := &parser{text: replacement, at: i + 1}
			c := r.peek()
			if c == 'u' || c == 'U' {
				c, err = r.escapedCharacter(i)
			} else {
				r.next()
			}
			if err != nil {
				return nil, 0, err
			}
			if c != noCharacter {
				parts = append(parts, piece{string(c), -1})
			}
			i = r.at
		default:
			group, next, err := p.reference(replacement, i)
			if err != nil {
				return nil, 0, err
			}
			parts, groups, i = append(parts, piece{group: group}), max(groups, group), next
		}
	}
	return parts, groups, nil
}

// reference reads $1 or ${name} at byte i. Digits after the first belong to the text if there is no such group.
func (p *Pattern) reference(replacement string, i int) (group, next int, err error) {
	if name, _, closed := strings.Cut(replacement[i+1:], "}"); closed && strings.HasPrefix(name, "{") {
		group, ok := p.names[name[1:]]
		if !ok {
			return 0, 0, wrong(InvalidGroupName, "the pattern has no group named '%s', which the replacement names", name[1:])
		}
		return group, i + 1 + len(name) + 1, nil
	}
	next = i + 1
	for ; next < len(replacement) && replacement[next] >= '0' && replacement[next] <= '9'; next++ {
		larger := group*10 + int(replacement[next]-'0')
		if larger > p.groups {
			if next == i+1 {
				return 0, 0, wrong(OutOfBounds, "the replacement names group %d, the pattern has %d; write \\$ for the character", larger, p.groups)
			}
			break
		}
		group = larger
	}
	if next == i+1 {
		return 0, 0, wrong(
			InvalidGroupName,
			"a $ in the replacement %s is followed by neither a number nor {name}; write \\$ for the character",
			place(replacement, i),
		)
	}
	return group, next, nil
}
