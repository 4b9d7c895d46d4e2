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

// Options of Measure. The zero value is usual.
type Options struct {
	// Workers is the number of cores; 0: all. It affects only the time.
	Workers int
	// Progress, if not nil, receives the finished and the total units of work in a phase.
	// Several goroutines call it, one at a time.
	Progress func(phase string, done, total int)
	// Records is the approximate number of records in the measured groups; 0: 20,000.
	Records int
}

const (
	maxRecords = 20_000
	tables     = 8     // per fit
	student    = 2.365 // quantile .975 of Student's t with tables-1 degrees of freedom
	// A compared cell has at least commonRecords of the measured records, or one in a thousand
	// if that is less, and at least minRecords. A cell of as many records in the whole release
	// has as much chance error, a smaller one more. The mean of all re-publications has as much
	// as a cell of all their records.
	commonRecords = 20
	minRecords    = 5
	// republications is 2 because the error of one is partly chance. The association of two
	// attributes with few values is one number, on which all cells depend.
	republications = 2
	// missedOf: one cell in so many may be missed. That is fewer than the one in twenty of an
	// interval, because what is known shows less than what the tables missed the first time.
	missedOf = 25
	// manyCells is the number of cells with which a pair is meaningful by itself; pairs with
	// fewer are also pooled.
	manyCells = 20
	// sampleSpread scales the variance between completed tables of a sample. Those of the
	// release differ less, since more groups say more, and hide less of what is wrong. It was
	// chosen on the releases of BenchmarkMisfit, where 20,000 of 40,000 to 50,000 records are
	// measured.
	sampleSpread = 0.8
	// usual is the least ratio where nothing could be compared: for pairs without cells, and in
	// large groups for triples and averages. Most releases have at most this ratio.
	usual = 0.1
)

// A Recipe says how a release was made. All of it is public.
type Recipe struct {
	Method     anonymize.Method
	Parameters anonymize.Arguments
	Roles      anonymize.Roles
	// Asked are the promises beyond the method's own: groups of fifty records are republished as groups of fifty.
	Asked []anonymize.Promise
}

// Measure measures how wrong the completed tables c of a release are. If the measured records
// cannot be republished as the release was published, it takes more. Errors: an
// impute.RefusedError, the method's, the context's.
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
		if !errors.As(err, new(*anonymize.InfeasibleError)) || o.Records >= r.Rows {
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

// aloneOf returns the least number of records of a cell that is compared by itself, given the
// number of measured records.
func aloneOf(looked int) int {
	return max(minRecords, int(math.Round(min(commonRecords, float64(looked)/1000))))
}

// A measurer has what all measures share.
type measurer struct {
	options    Options
	recipe     Recipe
	whole      *anonymize.Release
	groups     []int // the measured groups of the whole release; nil: all
	release    *anonymize.Release
	completion *anonymize.Completion
	// A cell has at least alone records by itself, and at least least if those of all
	// re-publications count as one: see commonRecords.
	alone, least int
	spread       float64 // see sampleSpread
	larger       float64 // the release's records divided by the measured ones
	large        bool    // in groups so large, means and single values show only chance
	categories   map[string][]uint16
	seed         [2]uint64
	drawn        uint64
	// The number of fits in total, and of finished ones.
	fits, fitted int
}

// source returns a new random source.
func (m *measurer) source() *rand.Rand {
	m.drawn++
	return rand.New(rand.NewPCG(m.seed[0]^m.drawn, m.seed[1]))
}

// complete completes a release in place of the measured one.
func (m *measurer) complete(ctx context.Context, r *anonymize.Release) (*anonymize.Completion, error) {
	c, err := impute.Complete(ctx, r, impute.Options{Tables: tables, Workers: m.options.Workers, Progress: m.progress()})
	m.fitted++
	return c, err
}

// progress counts a fit as a hundred units; drawing its tables is the last fifth.
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

// measure takes all measures in turn. It republishes first, so that no fit is wasted if that is
// impossible.
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
	if !m.large { // large groups show chance, and dividing by the kept share would multiply it by nine
		result.Triples = m.threeways(own.triples, threes, null.triples)
	}
	result.Triples = withUsual(result.Triples, own.triples)
	result.Averages, result.Unseen = m.averageRatios(own.averages, republished.averages, null.averages), m.categorizedAttributes()
	return result, nil
}

// A sight is what completed tables say next to a known table: about pairs (by the model's
// categories, by ranges, by single values), triples, averages, and values within categories.
type sight struct {
	pairs, ranges, values []comparison
	triples               []threeway
	averages              averages
	insides               map[average]inside
}

// join adds the findings of another re-publication about pairs, averages and categories.
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

// look compares pairs, also within categories, triples, and averages.
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

// learn is the second half of a re-publication: it completes the release and compares the result.
func (m *measurer) learn(ctx context.Context, p publication) (*sight, error) {
	completion, err := m.complete(ctx, p.release)
	if err != nil {
		return nil, err
	}
	return m.see(ctx, m.subject(p.release, completion, p.table))
}

// see makes all comparisons that a re-publication allows.
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

// conclude combines the measures of every pair.
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

// tookPart reports whether one of the comparisons includes an attribute.
func tookPart(all []comparison, attribute string) bool {
	return slices.ContainsFunc(all, func(c comparison) bool { return c.a == attribute || c.b == attribute })
}

// hasFewCells reports whether a pair has too few cells to be meaningful by itself.
func hasFewCells(c *comparison) bool { return len(c.cells) < manyCells*max(1, c.times) }

// merged adds the comparisons of another re-publication to those of the same pairs.
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

// A measure has comparisons of some pairs; spread scales the variance between tables.
type measure struct {
	name   string
	of     []comparison
	spread float64
}

// ratio returns the ratio of one pair.
func (m *measure) ratio(p *Pair) float64 { return find(m.of, p).ratio(m.spread) }

// pooled returns the ratio of many pairs together.
func (m *measure) pooled(wanted func(*comparison) bool) float64 {
	return pool(wanted, m.of).ratio(m.spread)
}

// floors are pooled ratios of the pairs with a common attribute: lower bounds of the ratios of
// these pairs.
type floors map[string]float64

// floorOf returns the ratio of the cells of an attribute's pairs in a measure, or if they are
// too few, of all cells.
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

// find returns the comparison of a pair; one without cells if there is none, because the method
// put both attributes into one fragment.
func find(all []comparison, p *Pair) *comparison {
	for i := range all {
		if c := &all[i]; min(c.a, c.b) == p.A && max(c.a, c.b) == p.B {
			return c
		}
	}
	return &comparison{}
}

func everyPair(place, place) bool { return true }

// pretend takes the first measure: it splits a fragment and compares with the unsplit release.
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

// table returns a table of the measured records. at[j] has the record of fragment j for each
// row; if nil, every fragment is in the order of publication.
func (m *measurer) table(at [][]uint32) *anonymize.Microdata {
	t := &anonymize.Microdata{Rows: m.release.Rows}
	for j, f := range m.release.Fragments {
		for _, c := range f.Columns {
			codes := repeated(f, c, m.release.Rows)
			if at != nil {
				codes = anonymize.Gather(codes, at[j])
			}
			t.Columns = append(t.Columns, &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: codes})
		}
	}
	return t
}

// A publication is a table with its release, published as the measured release was.
type publication struct {
	table   *anonymize.Microdata
	release *anonymize.Release
}

// subject returns a subject that compares by the model's categories.
func (m *measurer) subject(r *anonymize.Release, c *anonymize.Completion, known *anonymize.Microdata) *subject {
	return &subject{r, c, known, m.least, m.categories}
}
