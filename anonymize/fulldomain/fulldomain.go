package fulldomain

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Method returns full-domain generalization as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:  "fulldomain",
		Title: "full-domain generalization with a suppression limit: the optimal levels of the attributes' hierarchies",
		Source: "Samarati, Protecting Respondents' Identities in Microdata Release, IEEE TKDE 13(6), 2001; " +
			"LeFevre, DeWitt, Ramakrishnan, Incognito, SIGMOD 2005; Kohlmayer et al., Flash, PASSAT 2012",
		Parameters: anonymize.Declare(paramK, paramL, paramT, paramSuppress, paramOptimize, anonymize.Threshold, anonymize.Sets),
		Share:      bucketization.OneIn(paramL),
		Algorithm:  bucketization.OrAlone(run),
	}
}

func run(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	condition, err := readCondition(in, settings)
	if err != nil {
		return nil, err
	}
	in.Report("tuples", 0, 1)
	attributes, err := generalization.NewAttributes(in)
	if err != nil {
		return nil, err
	}
	l, err := newLattice(attributes)
	if err != nil {
		return nil, err
	}
	base, err := newBase(ctx, l, in.Sensitive[0], condition.diverse())
	if err != nil {
		return nil, err
	}
	in.Report("search", 0, l.nodes)
	s := newSearch(ctx, base, condition, newObjective(l, paramOptimize.Read(settings), in.Rows), func(done, total int) { in.Report("search", done, total) })
	best, err := s.run()
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	return s.publish(in, best)
}

// publish makes the release of a node.
func (s *search) publish(in *anonymize.Input, best key) (*anonymize.Release, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	classes, tuples, suppressed := s.classes(best.node)
	l := s.base.lattice
	generalized := make([]*generalization.Generalized, len(l.attributes))
	err := parallel.Run(s.ctx, len(generalized), func(i int) error {
		places := make([]uint32, len(tuples))
		for class, tuple := range tuples {
			places[class] = generalization.Everything
			if tuple != generalization.Everything {
				places[class] = s.base.place[i][tuple]
			}
		}
		generalized[i] = l.attributes[i].GeneralizeTo(l.levelAt(best.node, i), places)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r, err := generalization.PublishCells(s.ctx, "fulldomain", in, generalized, classes, classes, rand.New(in.Random))
	if err != nil {
		return nil, err
	}
	r.Promises = s.condition.promises()
	r.Facts = slices.Concat(s.facts(best, suppressed), generalization.Facts(generalized, classes))
	return r, nil
}

// classes returns the equivalence classes of a node as records, a tuple of the table for each,
// or Everything for the suppressed records, and the number of those.
func (s *search) classes(node int) (classes *bucketization.Partition, tuples []uint32, suppressed int) {
	j := s.newJudge()
	id, _ := j.number(&s.base.tuples, node)
	t := j.roll(&s.base.tuples, node)
	p := j.judge(t).pool
	const hidden = ^uint32(0)
	number := make([]uint32, len(t.count))
	for _, g := range p.classes {
		number[g] = hidden
	}
	for g := range number {
		if number[g] != hidden {
			number[g] = uint32(len(tuples))
			tuples = append(tuples, t.first[g])
		}
	}
	if p.size > 0 {
		for _, g := range p.classes {
			number[g] = uint32(len(tuples))
		}
		tuples = append(tuples, generalization.Everything)
	}
	records, class := make([]uint32, s.base.rows), make([]uint32, s.base.rows)
	for record, tuple := range s.base.tupleOf {
		records[record], class[record] = uint32(record), number[id[tuple]]
	}
	return bucketization.NewPartition(records, class, len(tuples)), tuples, p.size
}

// facts are the levels, the suppressed records, and what would permit better levels.
func (s *search) facts(best key, suppressed int) []anonymize.Fact {
	l, rows := s.base.lattice, s.base.rows
	var facts []anonymize.Fact
	for i, a := range l.attributes {
		level := l.levelAt(best.node, i)
		facts = append(facts, anonymize.Fact{Name: "level of " + a.Column.Name,
			Value: fmt.Sprintf("%d of %d (%s)", level.Number, l.height[i], level.Name)})
	}
	facts = append(facts,
		anonymize.Fact{Name: "suppressed records", Value: fmt.Sprintf("%d of %d (%.2f %%), at most %d were allowed",
			suppressed, rows, 100*float64(suppressed)/float64(rows), s.condition.limit)},
		s.objective.fact(best))
	for i, a := range l.attributes {
		if !a.HasTaxonomy() && l.height[i] == 1 && a.Places > 2 {
			facts = append(facts, anonymize.Fact{Name: "hierarchy of " + a.Column.Name,
				Value: fmt.Sprintf("none: its %d values are published as they are or as * for everybody; give the column a taxonomy (set_taxonomy)", a.Places)})
		}
	}
	return facts
}
