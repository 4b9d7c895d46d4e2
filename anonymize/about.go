package anonymize

import "strings"

// GuaranteeName returns the name of a guarantee for some of the sensitive attributes. ("l",
// "disease") gives "l(disease)", which covers that attribute alone; ("l", "race", "disease")
// gives "l(race,disease)", which covers the pair as one value. The bare name covers every
// sensitive attribute that the release publishes: the worst of them counts.
//
// Names with a comma, a parenthesis or a backtick are quoted as in SQL.
func GuaranteeName(guarantee string, attributes ...string) string {
	if len(attributes) == 0 {
		return guarantee
	}
	quoted := make([]string, len(attributes))
	for i, name := range attributes {
		quoted[i] = name
		if name == "" || strings.ContainsAny(name, ",()`") {
			quoted[i] = "`" + strings.ReplaceAll(name, "`", "``") + "`"
		}
	}
	return guarantee + "(" + strings.Join(quoted, ",") + ")"
}

// SplitAbout is the inverse of GuaranteeName. ok is false for text that GuaranteeName cannot return.
func SplitAbout(name string) (guarantee string, attributes []string, ok bool) {
	guarantee, rest, found := strings.Cut(name, "(")
	if !found {
		return name, nil, true
	}
	for {
		var attribute string
		if attribute, rest, ok = firstName(rest); !ok {
			return name, nil, false
		}
		attributes = append(attributes, attribute)
		switch {
		case rest == ")":
			return guarantee, attributes, true
		case !strings.HasPrefix(rest, ","):
			return name, nil, false
		}
		rest = rest[1:]
	}
}

// firstName cuts the first attribute name off text, undoing the quotes of GuaranteeName.
func firstName(text string) (name, rest string, ok bool) {
	if !strings.HasPrefix(text, "`") {
		end := strings.IndexAny(text, ",()`")
		if end <= 0 {
			return "", text, false
		}
		return text[:end], text[end:], true
	}
	for at := 1; at < len(text); at++ {
		if text[at] != '`' {
			continue
		}
		if at+1 < len(text) && text[at+1] == '`' {
			at++
			continue
		}
		return strings.ReplaceAll(text[1:at], "``", "`"), text[at+1:], true
	}
	return "", text, false
}
