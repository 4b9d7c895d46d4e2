package program

import (
	"strings"

	"github.com/spf13/pflag"
)

// A list is a flag with several texts: --names a,b or --names a --names b.
type list struct {
	texts *[]string
	given bool
}

// ListVar defines a flag of several texts, separated by commas or in repeated flags. A text in
// double quotes may contain commas, and "" for a quote; an empty text counts.
func ListVar(flags *pflag.FlagSet, to *[]string, name, usage string) {
	flags.Var(&list{texts: to}, name, usage)
}

// Set implements pflag.Value.
func (l *list) Set(value string) error {
	if !l.given {
		*l.texts, l.given = nil, true
	}
	for {
		element, rest, more := nextElement(value)
		*l.texts = append(*l.texts, element)
		if !more {
			return nil
		}
		value = rest
	}
}

// nextElement reads up to the next comma outside quotes.
func nextElement(value string) (element, rest string, more bool) {
	if !strings.HasPrefix(value, `"`) {
		return strings.Cut(value, ",")
	}
	var b strings.Builder
	inside := value[1:]
	for {
		before, after, closed := strings.Cut(inside, `"`)
		b.WriteString(before)
		switch {
		case !closed: // a quote that belongs to the text
			return strings.Cut(value, ",")
		case strings.HasPrefix(after, `"`):
			b.WriteByte('"')
			inside = after[1:]
		case after == "":
			return b.String(), "", false
		case after[0] == ',':
			return b.String(), after[1:], true
		default:
			return strings.Cut(value, ",")
		}
	}
}

// String implements pflag.Value. It returns the default.
func (l *list) String() string {
	if l.texts == nil {
		return ""
	}
	return strings.Join(*l.texts, ",")
}

// Type implements pflag.Value.
func (l *list) Type() string { return "texts" }
