package privacy

import (
	"errors"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// valueRange is the least span of a class's numbers, for numeric sensitive attributes: the error bound e of (k,
// e)-anonymity (Zhang, Koudas, Srivastava, Yu, "Aggregate Query Answering on Anonymized Tables", ICDE 2007).
// NULL is no number; a class without numbers spans 0. The k of (k, e) is a separate promise, distinct.
func valueRange(r *anonymize.Release) ([]figure, error) {
	f, numeric := newFigure("range"), false
	err := eachComposition(r, func(c *composition) {
		if !isNumeric(c.column.Dictionary) {
			return
		}
		numeric = true
		var least, greatest anonymize.Value
		for _, code := range c.codes {
			v := c.column.Dictionary[code]
			if v.IsNull() {
				continue
			}
			if least.IsNull() || anonymize.Compare(v, least) < 0 {
				least = v
			}
			if greatest.IsNull() || anonymize.Compare(v, greatest) > 0 {
				greatest = v
			}
		}
		span, ok := exact{ratio: anonymize.NewRatio(0, 1)}, false
		if width, known := greatest.Minus(least); known {
			span, ok = exact{large: width}, true
		}
		if !f.raise(span, c.group) {
			return
		}
		if f.detail = fmt.Sprintf("in %s, no %s is a number", c.fragment.Name, c.column.Name); ok {
			f.detail = fmt.Sprintf("in %s, %s is from %s to %s", c.fragment.Name, c.column.Name, least, greatest)
		}
	})
	if err == nil && !numeric {
		err = errors.New("no sensitive attribute is numeric")
	}
	if err != nil {
		return nil, err
	}
	return []figure{f}, nil
}
