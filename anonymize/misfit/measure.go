package misfit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
)

// Options of Measure. The zero value is the usual choice.
type Options struct {
	// Workers is the number of cores; 0: all. It changes the time only.
	Workers int
	// Progress is told of finished work, done of total units of a phase, from
	// several goroutines, one at a time; nil when nobody listens.
	Progress func(phase string, done, total int)
	// Records bounds the records that are looked at; 0: 20,000. Whole groups are.
	Records int
}

const (
	maxRecords = 20_000
	tables     = 8     // of every fit
	student    = 2.365 // quantile .975 of Student's t with tables-1 degrees of freedom
	// Cells are compared that have at least everyday of the records that are looked at, one
	// in a thousand where that is less, and at least minRecords. A cell of as many
	// records in the whole release is missed by luck as much, a smaller one by more. The
	// mean of all re-publications has as much luck as a cell of all their records.
	commonRecords = 20
	minRecords    = 5
	// republications: how far one re-publication is off, is luck to a part. An association
	// of two attributes that have few values is one number, and all cells hang on it.
	republications = 2
	// missedOf: one cell in so many may be missed. What is known shows less than what the
	// tables missed the first time, so that it is fewer than the one in twenty of an interval.
	missedOf = 25
	// manyCells is how many cells of a pair say something by themselves: pairs of fewer
	// are taken together as well.
	manyCells = 20
	// sampleSpread scales the variance between completed tables of a sample: those of
	// the release differ less, since more groups tell more, and hide less of what is
	// wrong. It was chosen on the releases of BenchmarkMisfit, where 20,000 of
	// 40,000 to 50,000 records are looked at.
	sampleSpread = 0.8
	// usual is the least ratio of what nothing could be compared of: pairs without cells, and in large groups
	// three attributes together and averages. Most releases have this at most.
	usual = 0.1
)

// A Recipe is how a release was made. All of it is public.
type Recipe struct {
	Method     anonymize.Method
	Parameters anonymize.Arguments
	Roles      anonymize.Roles
	// Asked are the promises beside the method's own: groups of fifty records are published again as groups of fifty.
	Asked []anonymize.Promise
}

// Measure measures how wrong the completed tables c of a release are.
// Where the records that are looked at cannot be published as the release was, more
// are taken. Errors: an impute.RefusedError, the method's, the context's.
func Measure(ctx context.Context, r *anonymize.Release, c *anonymize.Completion, by Recipe, o Options) (*Misfit, error) {
	if err := impute.Refuse(r); err != nil {
		return nil, err
	}
	if err := c.Check(ctx, r); err != nil {
		return nil, fmt.Errorf("the completed tables are not the release's: %w", err)
	}
	if c.Tables < 2 {
		return nil, fmt.Errorf("one completed table does not say how far tables differ")
	}
	if o.Records == 0 {
		o.Records = maxRecords
	}
	for {
		m, err := newMeasurer(r, c, by, o).measure(ctx)
		var infeasible *anonymize.InfeasibleError
		if !errors.As(err, &infeasible) || o.Records >= r.Rows {
			return m, err
		}
		o.Records *= 4
	}
}

func newMeasurer(r *anonymize.Release, c *anonymize.Completion, by Recipe, o Options) *measurer {
	m := &measurer{options: o, recipe: by, whole: r}
	digest := impute.Digest(r)
	for i := range 16 {
		m.seed[i/8] = m.seed[i/8]<<8 | uint64(digest[i])
	}
	m.release, m.completion, m.groups = sampled(r, c, o.Records, m.source())
	m.spread, m.larger, m.large = 1, float64(r.Rows)/float64(m.release.Rows), hasLargeGroups(m.release)
	if m.release != r {
		m.spread = sampleSpread
	}
	m.alone = aloneOf(m.release.Rows)
	m.least = max(minRecords, m.alone/republications)
	return m
}

// aloneOf is how many records a cell has at least that is compared by itself, where so many
// are looked at.
func aloneOf(looked int) int {
	return max(minRecords, int(math.Round(min(commonRecords, float64(looked)/1000))))
}

// A measurer has what all measures share.
type measurer struct {
	options    Options
	recipe     Recipe
	whole      *anonymize.Release
	groups     []int // of the whole release that are looked at; nil for all
	release    *anonymize.Release
	completion *anonymize.Completion
	// Cells have at least alone records by themselves, and at least least where those of all
	// re-publications count as one: see everyday.
	alone, least int
	spread       float64 // see sampleSpread
	larger       float64 // how many times the records that are looked at the release has
	large        bool    // groups are so large that what they show of means and of single values is luck
	categories   map[string][]uint16
	seed         [2]uint64
	drawn        uint64
	// Of the fits: how many there are, and how many are done.
	fits, fitted int
}

// source returns a random source that nobody else gets.
func (m *measurer) source() *rand.Rand {
	m.drawn++
	return rand.New(rand.NewPCG(m.seed[0]^m.drawn, m.seed[1]))
}

// complete completes a release in the place of the one that is measured.
func (m *measurer) complete(ctx context.Context, r *anonymize.Release) (*anonymize.Completion, error) {
	c, err := impute.Complete(ctx, r, impute.Options{Tables: tables, Workers: m.options.Workers, Progress: m.progress()})
	m.fitted++
	return c, err
}

// progress counts a fit as a hundred units: drawing its tables is the last fifth.
func (m *measurer) progress() func(phase string, done, total int) {
	if m.options.Progress == nil {
		return nil
	}
	return func(phase string, done, total int) {
		part := 80 * done / max(1, total)
		if phase == "completing" {
			part = 80 + 20*done/max(1, total)
		}
		m.options.Progress("measuring the misfit", 100*m.fitted+part, 100*m.fits)
	}
}

// measure takes all measures, one after the other. It publishes first what it publishes
// again: where that is impossible, no fit is wasted.
func (m *measurer) measure(ctx context.Context) (_ *Misfit, err error) {
	if m.categories, err = impute.Categories(ctx, m.release); err != nil {
		return nil, err
	}
	var again []publication
	for d := range republications {
		p, err := m.publishCompleted(ctx, d)
		if err != nil {
			return nil, err
		}
		again = append(again, p)
	}
	unrelated, err := m.publishUnrelated(ctx)
	if err != nil {
		return nil, err
	}
	splits := splitsOf(m.release)
	m.fits = len(splits) + len(again) + 1
	var pretended []comparison
	for _, s := range splits {
		pairs, err := m.pretend(ctx, s)
		if err != nil {
			return nil, err
		}
		pretended = append(pretended, pairs...)
	}
	var republished sight
	var threes [][]threeway
	for _, p := range again {
		seen, err := m.learn(ctx, p)
		if err != nil {
			return nil, err
		}
		republished.join(seen)
		threes = append(threes, seen.triples)
	}
	null, err := m.learn(ctx, unrelated)
	if err != nil {
		return nil, err
	}
	own, err := m.look(ctx, m.subject(m.release, m.completion, m.table(m.completed(0, m.order()))))
	if err != nil {
		return nil, err
	}
	result := m.conclude(pretended, &republished, null, own)
	if !m.large { // what is found of large groups is luck, which divided by the share that is kept is nine times as much
		result.Triples = m.threeways(own.triples, threes, null.triples)
	}
	result.Triples = withUsual(result.Triples, own.triples)
	result.Averages, result.Unseen = m.averageRatios(own.averages, republished.averages, null.averages), m.categorizedAttributes()
	return result, nil
}

// A sight is what completed tables say beside a table that is known: of pairs, by the model's
// categories, by ranges and by single values; of attributes in threes; of averages; and what is inside
// categories.
type sight struct {
	pairs, ranges, values []comparison
	triples               []threeway
	averages              averages
	insides               map[average]inside
}

// join adds what one more re-publication says of pairs, averages and categories.
func (s *sight) join(more *sight) {
	if s.insides == nil {
		s.insides = make(map[average]inside)
	}
	for pair, one := range more.insides {
		one.join(s.insides[pair])
		s.insides[pair] = one
	}
	s.pairs, s.ranges, s.values = merged(s.pairs, more.pairs), merged(s.ranges, more.ranges), merged(s.values, more.values)
	s.averages = s.averages.join(more.averages)
}

// look compares pairs, inside of categories too, attributes in threes, and averages.
func (m *measurer) look(ctx context.Context, s *subject) (seen *sight, err error) {
	seen = &sight{}
	if seen.pairs, err = s.compare(ctx, m.options.Workers, everyPair); err != nil {
		return nil, err
	}
	if seen.insides, err = s.compareInside(ctx, m.options.Workers); err != nil {
		return nil, err
	}
	if seen.triples, err = s.compareTriples(ctx, m.options.Workers); err != nil {
		return nil, err
	}
	large := *s
	large.least = m.alone
	seen.averages, err = large.compareAverages(ctx, m.options.Workers)
	return seen, err
}

// learn is the second half of a re-publication: what can be learned of it, and its table.
func (m *measurer) learn(ctx context.Context, p publication) (*sight, error) {
	completion, err := m.complete(ctx, p.release)
	if err != nil {
		return nil, err
	}
	return m.see(ctx, m.subject(p.release, completion, p.table))
}

// see compares all that a re-publication shows.
func (m *measurer) see(ctx context.Context, subject *subject) (*sight, error) {
	seen, err := m.look(ctx, subject)
	if err != nil {
		return nil, err
	}
	subject.least = m.alone
	if seen.ranges, err = subject.compareRanges(ctx, m.options.Workers); err != nil {
		return nil, err
	}
	seen.values, err = m.compareValues(ctx, subject)
	return seen, err
}

// conclude puts the measures of every pair together.
func (m *measurer) conclude(pretended []comparison, again, unrelatedly, own *sight) *Misfit {
	republished, null := again.pairs, unrelatedly.pairs
	all := pool(anyPair, pretended, republished, null)
	result := &Misfit{Records: m.release.Rows, Cells: len(all.cells), Pairs: pairsOf(m.release)}
	floors := make(floors)
	split := measure{"split", withLeast(pretended, m.alone), m.spread}
	alone := measure{"again", withLeast(republished, m.alone), m.spread}
	both := measure{"lasting", persistentCells(republished), 1}
	nothing := measure{"null", withLeast(null, m.alone), m.spread}
	ranges := []measure{{"", again.ranges, m.spread}, {"", persistentCells(again.ranges), 1}, {"", unrelatedly.ranges, m.spread}}
	values, insides := merged(again.values, unrelatedly.values), again.insides
	for i := range result.Pairs {
		p := &result.Pairs[i]
		again, unrelated := find(republished, p), find(null, p)
		p.Cells = len(again.cells) + len(unrelated.cells)
		p.Ratio = nothing.ratio(p)
		for _, known := range []measure{alone, both} {
			p.Ratio = max(p.Ratio, known.ratio(p))
			if hasFewCells(find(known.of, p)) {
				p.Ratio = max(p.Ratio, known.pooled(hasFewCells), nothing.pooled(hasFewCells))
			}
		}
		related := []measure{alone, both}
		if tookPart(pretended, p.A) && tookPart(pretended, p.B) {
			related = append(related, split)
		}
		for _, attribute := range []string{p.A, p.B} {
			for _, known := range related {
				p.Ratio = max(p.Ratio, floors.floorOf(known, attribute))
			}
		}
		if len(again.cells) == 0 {
			p.Ratio = max(p.Ratio, usual)
		}
		for _, known := range ranges {
			p.Ratio = max(p.Ratio, known.ratio(p))
		}
		p.Luck = find(values, p).luck(p.Ratio, m.spread)
		for _, a := range []average{{p.A, p.B}, {p.B, p.A}} {
			if !m.large {
				p.Luck += own.insides[a].excessOver(insides[a]) * m.larger
			}
		}
		p.Luck = luckOf(p.Luck)
		p.Invented = unrelated.association()
		p.Associated = find(own.pairs, p).association()
	}
	return result
}

// tookPart reports whether an attribute is in one of the comparisons.
func tookPart(all []comparison, attribute string) bool {
	return slices.ContainsFunc(all, func(c comparison) bool { return c.a == attribute || c.b == attribute })
}

// hasFewCells reports whether a pair has too few cells to say something by itself.
func hasFewCells(c *comparison) bool { return len(c.cells) < manyCells*max(1, c.times) }

// merged puts comparisons of the same pairs together: those of one more re-publication.
func merged(some, more []comparison) []comparison {
	for _, c := range more {
		p := Pair{A: min(c.a, c.b), B: max(c.a, c.b)}
		if known := find(some, &p); known.times > 0 {
			known.cells, known.times = append(known.cells, c.cells...), known.times+1
			continue
		}
		c.times = 1
		some = append(some, c)
	}
	return some
}

// A measure is what is known of some pairs; spread scales the variance between tables.
type measure struct {
	name   string
	of     []comparison
	spread float64
}

// ratio is that of one pair.
func (m *measure) ratio(p *Pair) float64 { return find(m.of, p).ratio(m.spread) }

// pooled is that of many pairs together.
func (m *measure) pooled(wanted func(*comparison) bool) float64 {
	return pool(wanted, m.of).ratio(m.spread)
}

// floors are ratios of the pairs that share an attribute together, below which that of no
// single pair of theirs is.
type floors map[string]float64

// floorOf is the ratio of the cells of an attribute's pairs in a measure; where these are too
// few, of all cells.
func (f floors) floorOf(m measure, attribute string) float64 {
	name := m.name + " " + attribute
	if ratio, ok := f[name]; ok {
		return ratio
	}
	pooled := pool(func(c *comparison) bool { return c.a == attribute || c.b == attribute }, m.of)
	if hasFewCells(pooled) {
		pooled = pool(anyPair, m.of)
	}
	f[name] = pooled.ratio(m.spread)
	return f[name]
}

// find returns the comparison of a pair; one without cells where there is none, since
// the method put both attributes into one fragment.
func find(all []comparison, p *Pair) *comparison {
	for i := range all {
		if c := &all[i]; min(c.a, c.b) == p.A && max(c.a, c.b) == p.B {
			return c
		}
	}
	return &comparison{}
}

func everyPair(place, place) bool { return true }

// pretend is the first measure: a split, and what the release says without it.
func (m *measurer) pretend(ctx context.Context, s split) ([]comparison, error) {
	apart := s.apply(m.release)
	completion, err := m.complete(ctx, apart)
	if err != nil {
		return nil, err
	}
	subject := m.subject(apart, completion, m.table(nil))
	last := len(apart.Fragments) - 1
	return subject.compare(ctx, m.options.Workers, func(i, j place) bool { return i.fragment == s.fragment && j.fragment == last })
}

// table is a table of the records that are looked at; at[j] has which record its rows
// have of fragment j, nil: every fragment as it was published.
func (m *measurer) table(at [][]uint32) *anonymize.Microdata {
	t := &anonymize.Microdata{Rows: m.release.Rows}
	for j, f := range m.release.Fragments {
		for _, c := range f.Columns {
			codes := repeated(f, c, m.release.Rows)
			if at != nil {
				moved := make([]uint32, len(codes))
				for record, from := range at[j] {
					moved[record] = codes[from]
				}
				codes = moved
			}
			t.Columns = append(t.Columns, &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: codes})
		}
	}
	return t
}

// A publication is a table that was published as the release was.
type publication struct {
	table   *anonymize.Microdata
	release *anonymize.Release
}

// subject compares by the categories of the model.
func (m *measurer) subject(r *anonymize.Release, c *anonymize.Completion, known *anonymize.Microdata) *subject {
	return &subject{r, c, known, m.least, m.categories}
}
