package privacy

import (
	"errors"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// thresholdDiversity is l of classes of a numeric sensitive attribute (ARP, Section
// 3.1: where values are not "distinctively different" the table "should be
// preprocessed"): those of anonymize.ThresholdClasses over the published dictionary.
// It says nothing of values of neighbouring classes, which may be closer than the
// threshold. Without a threshold there is no figure.
func thresholdDiversity(threshold anonymize.Ratio) func(r *anonymize.Release) ([]figure, error) {
	return func(r *anonymize.Release) ([]figure, error) {
		if threshold.Num == 0 {
			return nil, errors.New("no threshold is given")
		}
		l := newFigure("l_threshold")
		classes := make(map[*anonymize.FragmentColumn]anonymize.Classes)
		var count []uint64 // by class; zero between compositions
		var failure error
		err := eachComposition(r, func(c *composition) {
			if _, known := classes[c.column]; !known && failure == nil {
				classes[c.column], failure = anonymize.ThresholdClasses(c.column.Name, c.column.Dictionary, threshold)
				count = make([]uint64, max(len(count), len(c.column.Dictionary)))
			}
			if failure != nil {
				return
			}
			class, most := mostFrequentClass(c, classes[c.column], count)
			if l.raise(quotient(c.whole/most, 1), c.group) {
				l.detail = fmt.Sprintf("in %s, %s is %s", c.fragment.Name, describeClass(c.column, classes[c.column], class), c.share(most))
			}
		})
		if err == nil {
			err = failure
		}
		if err != nil {
			return nil, err
		}
		return []figure{l}, nil
	}
}

func mostFrequentClass(c *composition, classes anonymize.Classes, count []uint64) (class uint32, most uint64) {
	for i, code := range c.codes {
		of := classes.ClassOf(code)
		if count[of] += c.counts[i]; count[of] > most {
			class, most = of, count[of]
		}
	}
	for _, code := range c.codes {
		count[classes.ClassOf(code)] = 0
	}
	return class, most
}

// describeClass writes "wage from 10 to 14".
func describeClass(c *anonymize.FragmentColumn, classes anonymize.Classes, class uint32) string {
	first, last := -1, 0
	for code, of := range classes {
		if of == class {
			if first < 0 {
				first = code
			}
			last = code
		}
	}
	return fmt.Sprintf("%s from %s to %s", c.Name, c.Dictionary[first], c.Dictionary[last])
}
