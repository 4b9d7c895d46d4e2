package anonymize

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Anonymize runs the algorithm with checked settings. It adds the promises of [Threshold] and [Sets] to those asked of the
// algorithm, and the release promises them. It hides values that need no protection ([Input.NotSensitive]) from the algorithm and
// restores them in the release, whose promises then cover the other values (positive disclosure: Machanavajjhala et al., TKDD
// 2007, section 4.3). It refuses promises that do not treat values singly; other errors are the algorithm's.
func (m Method) Anonymize(ctx context.Context, in *Input, settings Settings) (*Release, error) {
	promised, err := m.closePromises(in, settings)
	if err != nil {
		return nil, err
	}
	asking := *in
	asking.Asked = slices.Concat(in.Asked, promised)
	r, err := m.hideNotSensitive(ctx, &asking, settings)
	if err != nil {
		return nil, err
	}
	r.Promises = append(r.Promises, promised...)
	return r, nil
}

func (m Method) hideNotSensitive(ctx context.Context, in *Input, settings Settings) (*Release, error) {
	if len(in.NotSensitive) == 0 {
		return m.Algorithm(ctx, in, settings)
	}
	s, err := spreadNotSensitive(in)
	if err != nil {
		return nil, err
	}
	r, err := m.Algorithm(ctx, s.input(in), settings)
	if err != nil {
		s.nameIn(err)
		return nil, err
	}
	return r, s.restore(m.Name, r, in.NotSensitive)
}

// standIns is the greatest number of stand-ins for a value that needs no protection: with so many, none is frequent.
const standIns = 256

// A spread replaces values that need no protection by many stand-ins, dealt at random. So a
// bound on the share of every value restricts only the secret ones.
type spread struct {
	column *Column // as it is
	seen   *Column // as the algorithm sees it
	code   []uint32
}

func spreadNotSensitive(in *Input) (*spread, error) {
	if len(in.Sensitive) != 1 {
		return nil, &DataError{fmt.Sprintf("not_sensitive is about values of one sensitive attribute, %d are given", len(in.Sensitive))}
	}
	for _, p := range in.Asked {
		if err := refuseBeside(p); err != nil {
			return nil, err
		}
	}
	s := &spread{column: in.Sensitive[0], code: Indices(len(in.Sensitive[0].Dictionary))}
	s.seen = &Column{Name: s.column.Name, Type: s.column.Type, Dictionary: slices.Clone(s.column.Dictionary), Codes: slices.Clone(s.column.Codes)}
	harmless, records := s.column.CodesOf(in.NotSensitive), s.column.Histogram()
	random := rand.New(in.Random)
	if in.IsHarmless() {
		return nil, &NoGroupsError{&DataError{fmt.Sprintf("all values of %s are no secret, as not_sensitive has them: leave sa out and publish with k, or name fewer",
			s.column.Name)}}
	}
	decks := make(map[uint32]*deck)
	for code, is := range harmless {
		if !is || records[code] == 0 {
			continue
		}
		d := &deck{}
		decks[uint32(code)] = d
		for i := range min(standIns, records[code]) {
			d.codes = append(d.codes, uint32(len(s.code)))
			s.seen.Dictionary = append(s.seen.Dictionary, TextValue(fmt.Sprintf("\U0010FFFD%d %03d", code, i)))
			s.code = append(s.code, uint32(code))
		}
	}
	for record, code := range s.column.Codes {
		if d, ok := decks[code]; ok {
			s.seen.Codes[record] = d.deal(random)
		}
	}
	return s, nil
}

// IsHarmless reports whether every value that occurs of the one sensitive attribute is in [Input.NotSensitive].
func (in *Input) IsHarmless() bool {
	harmless := in.Sensitive[0].CodesOf(in.NotSensitive)
	return !slices.ContainsFunc(in.Sensitive[0].Codes, func(code uint32) bool { return !harmless[code] })
}

// A deck has the stand-ins of a value. It deals all of them in random order before it repeats one, so that none becomes frequent by chance.
type deck struct {
	codes []uint32
	dealt int
}

func (d *deck) deal(random *rand.Rand) uint32 {
	at := d.dealt % len(d.codes)
	if at == 0 {
		random.Shuffle(len(d.codes), func(i, j int) { d.codes[i], d.codes[j] = d.codes[j], d.codes[i] })
	}
	d.dealt++
	return d.codes[at]
}

var standIn = regexp.MustCompile("'?\U0010FFFD(\\d+) \\d{3}'?")

// name replaces the stand-ins in a text of the algorithm by the values that they stand for.
func (s *spread) name(text *string) {
	if !standIn.MatchString(*text) {
		return // text may belong to a constant error: do not write to it
	}
	*text = standIn.ReplaceAllStringFunc(*text, func(found string) string {
		code, err := strconv.Atoi(standIn.FindStringSubmatch(found)[1])
		if err != nil || code >= len(s.column.Dictionary) {
			return found // a value of the table that looks like a stand-in
		}
		return "a part of '" + s.column.Dictionary[code].String() + "'"
	})
}

// nameIn applies name to the text of an error.
func (s *spread) nameIn(err error) {
	if e, ok := errors.AsType[*InfeasibleError](err); ok {
		s.name(&e.Obstacle)
	} else if e, ok := errors.AsType[*ParameterError](err); ok {
		s.name(&e.Rule)
	} else if e, ok := errors.AsType[*DataError](err); ok {
		s.name(&e.Reason)
	}
}

// input returns the Input that the algorithm sees. The owner's domain of the attribute does not cover stand-ins, so the attribute is nominal.
func (s *spread) input(in *Input) *Input {
	seen := *in
	seen.Sensitive, seen.Domains = []*Column{s.seen}, map[string]*Domain{}
	maps.Copy(seen.Domains, in.Domains)
	seen.Domains[s.column.Name] = &Domain{Scale: Nominal}
	return &seen
}

// restore puts the values back and records in the promises which values they do not cover.
func (s *spread) restore(method string, r *Release, notSensitive []string) error {
	for _, f := range r.Fragments {
		at := f.Column(s.column.Name)
		if at < 0 {
			continue
		}
		if !f.Columns[at].IsPoint() {
			return &DataError{method + " publishes sets of sensitive values, in which one that is no secret cannot be told apart: leave not_sensitive out, or " +
				"take a method that publishes them as they are, such as anatomy or mondrian"}
		}
		c := f.Columns[at]
		c.Dictionary = s.column.Dictionary
		for t, code := range c.Codes {
			c.Codes[t] = s.code[code]
		}
		f.mergeTuples()
	}
	for i := range r.Facts {
		s.name(&r.Facts[i].Value)
	}
	for i, p := range r.Promises {
		if err := refuseBeside(p); err != nil {
			return err
		}
		if p.Guarantee == "l" || p.Guarantee == "beta" {
			r.Promises[i].NotSensitive = notSensitive
		}
	}
	return nil
}

// refuseBeside refuses a promise that cannot make an exception of values.
func refuseBeside(p Promise) error {
	if slices.Contains([]string{"l", "beta", "k", "size", "alpha", "gamma"}, p.Guarantee) || p.Guarantee == "delta" && p.Bound.Num >= p.Bound.Den {
		return nil
	}
	return &ParameterError{Parameter: p.Guarantee, Value: p.Bound.Text(),
		Rule: "which counts all values alike: leave it out beside not_sensitive, which goes with l and beta"}
}

// NotSensitive returns the values, as texts, that the release's promises do not cover.
func (r *Release) NotSensitive() []string {
	for _, p := range r.Promises {
		if p.NotSensitive != nil {
			return p.NotSensitive
		}
	}
	return nil
}

// NotSensitiveOf returns the values, as texts, that the promises among the guarantees do not cover.
func NotSensitiveOf(guarantees []Guarantee) []string {
	for _, g := range guarantees {
		if g.NotSensitive != nil {
			return g.NotSensitive
		}
	}
	return nil
}

// mergeTuples sorts the tuples of every group and merges equal ones.
func (f *Fragment) mergeTuples() {
	merged, start := &Fragment{Columns: make([]*FragmentColumn, len(f.Columns))}, []uint32{0}
	for i := range merged.Columns {
		merged.Columns[i] = &FragmentColumn{}
	}
	var order []uint32
	for g := range f.Groups() {
		order = order[:0]
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			order = append(order, t)
		}
		slices.SortFunc(order, f.compareTuples)
		for i, t := range order {
			if i > 0 && f.compareTuples(order[i-1], t) == 0 {
				merged.Count[len(merged.Count)-1] += f.Count[t]
				continue
			}
			merged.Count = append(merged.Count, f.Count[t])
			for c := range f.Columns {
				merged.Columns[c].Codes = append(merged.Columns[c].Codes, f.Columns[c].Codes[t])
			}
		}
		start = append(start, uint32(len(merged.Count)))
	}
	f.Count, f.GroupStart = merged.Count, start
	for c := range f.Columns {
		f.Columns[c].Codes = merged.Columns[c].Codes
	}
}

// CodesOf reports, by code of the column, whether texts has its value; NULL is written NULL.
func (c *Column) CodesOf(texts []string) []bool { return codesOf(c.Dictionary, texts) }

// CodesOf reports, by code of the dictionary, whether texts has its value.
func (c *FragmentColumn) CodesOf(texts []string) []bool { return codesOf(c.Dictionary, texts) }

func codesOf(dictionary []Value, texts []string) []bool {
	among := make([]bool, len(dictionary))
	for code, v := range dictionary {
		among[code] = slices.Contains(texts, v.String()) || v.Kind == Instant && slices.ContainsFunc(texts, func(text string) bool {
			at, err := time.Parse(time.DateTime, text) // as SQL shows it, at midnight, too
			return err == nil && at.UnixMicro() == v.Int
		})
	}
	return among
}
