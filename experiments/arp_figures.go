package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

const (
	lossAxis = "GLP"
	timeAxis = "time (ms)"
)

// byDiversity is Figs. 1 and 2.
func (p *refiner) byDiversity(ctx context.Context) ([]Figure, error) {
	var m measured
	for _, l := range p.ls {
		if err := p.at(ctx, &m, float64(l), p.samples[p.fixed], p.roles.QuasiIdentifiers, l, greatestFirst); err != nil {
			return nil, err
		}
	}
	at := fmt.Sprintf("n = %s", number(float64(p.fixed)))
	one := p.figure("1", "Execution time by l, "+at, "l", timeAxis, &m.times, m.partitionNote("l"))
	one.PaperShows = "The times increase with l. NG's is always greatest, ARP's is above those of AT and AIP."
	judgeARPTimes(&one, "l", m.collapse("l", p.always)...)
	two := p.figure("2", "Correspondence loss by l, "+at, "l", lossAxis, &m.losses, m.partitionNote("l"))
	two.PaperShows = "GLP increases with l. AT's is always greatest; those of ARP and NG are almost the same, and least."
	judgeARPLosses(&two, "l", true, m.collapse("l", p.always)...)
	return []Figure{one, two}, nil
}

// byRecords is Figs. 3 and 4.
func (p *refiner) byRecords(ctx context.Context) ([]Figure, error) {
	var m measured
	for _, n := range p.ns {
		if err := p.at(ctx, &m, float64(n), p.samples[n], p.roles.QuasiIdentifiers, p.fixedL, greatestFirst); err != nil {
			return nil, err
		}
	}
	at := fmt.Sprintf("l = %d", p.fixedL)
	three := p.figure("3", "Execution time by records, "+at, "records n", timeAxis, &m.times, m.partitionNote("n"))
	three.PaperShows = "The times increase with n. NG's is always greatest; those of AT and AIP are below those of NG and ARP."
	judgeARPTimes(&three, "n", m.collapse("n", asPlace)...)
	four := p.figure("4", "Correspondence loss by records, "+at, "records n", lossAxis, &m.losses, m.partitionNote("n"))
	four.PaperShows = "GLP decreases with n. AT's is always greatest; those of NG and ARP are always below those of AIP and AT."
	judgeARPLosses(&four, "n", false, m.collapse("n", asPlace)...)
	return []Figure{three, four}, nil
}

// byAttributes is Figs. 5 and 6.
func (p *refiner) byAttributes(ctx context.Context) ([]Figure, error) {
	var m measured
	for d := range p.ascending {
		if err := p.at(ctx, &m, float64(d+1), p.samples[p.fixed], p.ascending[:d+1], p.fixedL, leastFirst); err != nil {
			return nil, err
		}
	}
	at := fmt.Sprintf("n = %s, l = %d", number(float64(p.fixed)), p.fixedL)
	note := "The first d attributes in ascending order of phi^2: " + listed(p.ascending) + "."
	five := p.figure("5", "Execution time by attributes, "+at, "attributes d", timeAxis, &m.times, note, m.partitionNote("d"))
	five.PaperShows = "AIP's time increases with d and is least, AT's does not change, those of ARP and NG decrease at first, then increase. NG's is always greatest."
	judgeARPTimesByAttributes(&five)
	six := p.figure("6", "Correspondence loss by attributes, "+at, "attributes d", lossAxis, &m.losses, note, m.partitionNote("d"))
	six.PaperShows = "GLP increases with d; with one attribute it is 0 for ARP, AIP and NG. AT's is always greatest; NG's and ARP's are below AIP's and almost the same."
	judgeARPLosses(&six, "d", true, m.collapse("d", p.always)...)
	return []Figure{five, six}, nil
}

func (p *refiner) figure(n, title, x, y string, t *tally, notes ...string) Figure {
	return Figure{Name: "arp-fig0" + n, Printed: "Fig. " + n, Title: title, X: x, Y: y, Series: t.series(), Notes: slices.Concat(p.notes, notes)}
}

// always and asPlace are the records where they do not vary, and where they are
// the x of a figure.
func (p *refiner) always(float64) int { return p.fixed }
func asPlace(x float64) int           { return int(x) }

// partitionNote tells how many blocks the initial partition has, place by place.
func (m *measured) partitionNote(x string) string {
	var texts []string
	for _, place := range m.places() {
		texts = append(texts, fmt.Sprintf("%s = %s: %s", x, number(place), number(float64(m.blocks[place]))))
	}
	return "Blocks of the initial partition as printed, on which ARP, AIP and NG build: " + strings.Join(texts, ", ") + "."
}

// collapse says where that partition is a single block, and how large its blocks
// are elsewhere; records are those of a place.
func (m *measured) collapse(x string, records func(place float64) int) []string {
	var one []string
	least, most := 0.0, 0.0
	for _, place := range m.places() {
		size := float64(records(place)) / float64(m.blocks[place])
		if least == 0 || size < least {
			least = size
		}
		most = max(most, size)
		if m.blocks[place] == 1 {
			one = append(one, number(place))
		}
	}
	var causes []string
	if len(one) > 0 {
		causes = append(causes, fmt.Sprintf("The initial partition as printed collapses into one block at %s = %s, where ARP groups as AT does", x, strings.Join(one, ", ")))
	}
	return append(causes, fmt.Sprintf("A block of AIP has %s to %s records on average, whose values a record is all beside; a group of AT has about l", number(least), number(most)))
}

func (m *measured) places() []float64 {
	var list []float64
	for x := range m.blocks {
		list = append(list, x)
	}
	slices.Sort(list)
	return list
}

// arpRivals are those that the paper compares ARP with.
var arpRivals = []string{aipArm, atArm, ngArm}

// judgeARPTimes is for Figs. 1 and 3.
func judgeARPTimes(f *Figure, x string, causes ...string) {
	r := reading{f, x}
	claims := []claim{
		r.below(arpArm, ngArm, clockNoise), r.below(aipArm, ngArm, clockNoise), r.below(atArm, ngArm, clockNoise),
		r.below(atArm, arpArm, clockNoise), r.below(aipArm, arpArm, clockNoise),
	}
	for _, label := range append([]string{arpArm}, arpRivals...) {
		claims = append(claims, r.grows(label))
	}
	f.conclude(r.told(labelsOf(f)...), claims, append(causes, r.ratio(ngArm, arpArm), r.ratio(atArm, arpArm))...)
}

// judgeARPTimesByAttributes is for Fig. 5.
func judgeARPTimesByAttributes(f *Figure) {
	r := reading{f, "d"}
	f.conclude(r.told(labelsOf(f)...), []claim{
		r.grows(aipArm), r.below(aipArm, arpArm, clockNoise), r.below(aipArm, atArm, clockNoise), r.flat(atArm, 3*clockNoise),
		r.dips(arpArm), r.dips(ngArm), r.below(arpArm, ngArm, clockNoise), r.below(atArm, arpArm, clockNoise),
	}, r.ratio(ngArm, arpArm))
}

// dips claims that the least value is neither the first one nor the last.
func (r reading) dips(label string) claim {
	c := claim{says: fmt.Sprintf("%s decreases with %s at first, then increases", label, r.x)}
	var all []float64
	r.each(func(_ float64, y []float64) { all = append(all, y[0]) }, label)
	if n := len(all); n > 2 {
		c.places = 1
		if least := slices.Min(all); all[0] == least || all[n-1] == least {
			c.against = []string{fmt.Sprintf("the first is %s, the least %s, the last %s", number(all[0]), number(least), number(all[n-1]))}
		}
	}
	return c
}

// nothingAt claims that a series is 0 at a place.
func (r reading) nothingAt(x float64, label string) claim {
	c := claim{says: fmt.Sprintf("%s is 0 at %s", label, r.place(x))}
	if y, ok := r.value(label, x); ok {
		c.places = 1
		if y != 0 {
			c.against = []string{"it is " + number(y)}
		}
	}
	return c
}

// lossNoise is the difference of GLP that another source of random choices
// makes, as a share.
const lossNoise = 0.02

// judgeARPLosses is for Figs. 2, 4 and 6.
func judgeARPLosses(f *Figure, x string, rising bool, causes ...string) {
	r := reading{f, x}
	claims := []claim{
		r.below(arpArm, atArm, lossNoise), r.below(aipArm, atArm, lossNoise), r.below(ngArm, atArm, lossNoise),
		r.below(arpArm, aipArm, lossNoise), r.below(ngArm, aipArm, lossNoise), r.near(arpArm, ngArm, 2*lossNoise),
	}
	for _, label := range append([]string{arpArm}, arpRivals...) {
		if rising {
			claims = append(claims, r.rises(label, lossNoise))
		} else {
			claims = append(claims, r.falls(label, lossNoise))
		}
	}
	if x == "d" {
		claims = append(claims, r.nothingAt(1, arpArm), r.nothingAt(1, aipArm), r.nothingAt(1, ngArm))
	}
	f.conclude(r.told(labelsOf(f)...), claims, append(causes, r.ratio(aipArm, atArm), r.ratio(arpArm, atArm), r.ratio(arpOn, arpArm), r.ratio(arpAlike, arpArm))...)
}
