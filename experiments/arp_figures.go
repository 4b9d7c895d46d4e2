package experiments

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

const (
	lossAxis = "GLP"
	timeAxis = "time (ms)"
)

// byDiversity is Figs. 1 and 2.
func (p *refiner) byDiversity(ctx context.Context) ([]evaluation.Figure, error) {
	var m measured
	for _, l := range p.ls {
		if err := p.runSetting(ctx, &m, float64(l), p.samples[p.fixed], p.roles.QuasiIdentifiers, l, greatestFirst); err != nil {
			return nil, err
		}
	}
	at := fmt.Sprintf("n = %s", evaluation.Number(float64(p.fixed)))
	one := p.figure("1", "Execution time by l, "+at, "l", timeAxis, &m.times, m.partitionNote("l"))
	one.PaperShows = "The times increase with l. NG's is always greatest, ARP's is above those of AT and AIP."
	judgeARPTimes(&one, "l", m.collapse("l", p.always)...)
	two := p.figure("2", "Correspondence loss by l, "+at, "l", lossAxis, &m.losses, m.partitionNote("l"))
	two.PaperShows = "GLP increases with l. AT's is always greatest; those of ARP and NG are almost the same, and least."
	judgeARPLosses(&two, "l", true, m.collapse("l", p.always)...)
	return []evaluation.Figure{one, two}, nil
}

// byRecords is Figs. 3 and 4.
func (p *refiner) byRecords(ctx context.Context) ([]evaluation.Figure, error) {
	var m measured
	for _, n := range p.ns {
		if err := p.runSetting(ctx, &m, float64(n), p.samples[n], p.roles.QuasiIdentifiers, p.fixedL, greatestFirst); err != nil {
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
	return []evaluation.Figure{three, four}, nil
}

// byAttributes is Figs. 5 and 6.
func (p *refiner) byAttributes(ctx context.Context) ([]evaluation.Figure, error) {
	var m measured
	for d := range p.ascending {
		if err := p.runSetting(ctx, &m, float64(d+1), p.samples[p.fixed], p.ascending[:d+1], p.fixedL, minFirst); err != nil {
			return nil, err
		}
	}
	at := fmt.Sprintf("n = %s, l = %d", evaluation.Number(float64(p.fixed)), p.fixedL)
	note := "The first d attributes in ascending order of phi^2: " + listed(p.ascending) + "."
	five := p.figure("5", "Execution time by attributes, "+at, "attributes d", timeAxis, &m.times, note, m.partitionNote("d"))
	five.PaperShows = "AIP's time increases with d and is least, AT's does not change, those of ARP and NG decrease at first, then increase. NG's is always greatest."
	judgeARPTimesByAttributes(&five)
	six := p.figure("6", "Correspondence loss by attributes, "+at, "attributes d", lossAxis, &m.losses, note, m.partitionNote("d"))
	six.PaperShows = "GLP increases with d; with one attribute it is 0 for ARP, AIP and NG. AT's is always greatest; NG's and ARP's are below AIP's and almost the same."
	judgeARPLosses(&six, "d", true, m.collapse("d", p.always)...)
	return []evaluation.Figure{five, six}, nil
}

func (p *refiner) figure(n, title, x, y string, t *evaluation.Tally, notes ...string) evaluation.Figure {
	return evaluation.Figure{Name: "arp-fig0" + n, Printed: "Fig. " + n, Title: title, X: x, Y: y, Series: t.Series(), Notes: slices.Concat(p.notes, notes)}
}

// always and asPlace return the number of records if it does not vary, and if it is the x of a figure.
func (p *refiner) always(float64) int { return p.fixed }
func asPlace(x float64) int           { return int(x) }

// partitionNote describes the number of blocks of the initial partition, place by place.
func (m *measured) partitionNote(x string) string {
	var texts []string
	for _, place := range m.places() {
		texts = append(texts, fmt.Sprintf("%s = %s: %s", x, evaluation.Number(place), evaluation.Number(float64(m.blocks[place]))))
	}
	return "Blocks of the initial partition as printed, on which ARP, AIP and NG build: " + strings.Join(texts, ", ") + "."
}

// collapse describes where that partition is a single block, and how large its blocks are elsewhere; records returns
// the number of records at a place.
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
			one = append(one, evaluation.Number(place))
		}
	}
	var causes []string
	if len(one) > 0 {
		causes = append(
			causes,
			fmt.Sprintf("The initial partition as printed collapses into one block at %s = %s, where ARP groups as AT does", x, strings.Join(one, ", ")),
		)
	}
	return append(
		causes,
		fmt.Sprintf(
			"A block of AIP has %s to %s records on average, whose values a record is all beside; a group of AT has about l",
			evaluation.Number(least),
			evaluation.Number(most),
		),
	)
}

func (m *measured) places() []float64 { return slices.Sorted(maps.Keys(m.blocks)) }

// arpRivals are the methods that the paper compares ARP with.
var arpRivals = []string{aipArm, atArm, ngArm}

// judgeARPTimes judges Figs. 1 and 3.
func judgeARPTimes(f *evaluation.Figure, x string, causes ...string) {
	r := f.Read(x)
	claims := []evaluation.Claim{
		r.ClaimBelow(arpArm, ngArm, clockNoise), r.ClaimBelow(aipArm, ngArm, clockNoise), r.ClaimBelow(atArm, ngArm, clockNoise),
		r.ClaimBelow(atArm, arpArm, clockNoise), r.ClaimBelow(aipArm, arpArm, clockNoise),
	}
	for _, label := range append([]string{arpArm}, arpRivals...) {
		claims = append(claims, r.Grows(label))
	}
	f.Conclude(r.Summary(f.Labels()...), claims, append(causes, r.Ratio(ngArm, arpArm), r.Ratio(atArm, arpArm))...)
}

// judgeARPTimesByAttributes judges Fig. 5.
func judgeARPTimesByAttributes(f *evaluation.Figure) {
	r := f.Read("d")
	f.Conclude(r.Summary(f.Labels()...), []evaluation.Claim{
		r.Grows(aipArm), r.ClaimBelow(aipArm, arpArm, clockNoise), r.ClaimBelow(aipArm, atArm, clockNoise), r.Flat(atArm, 3*clockNoise),
		r.Dips(arpArm), r.Dips(ngArm), r.ClaimBelow(arpArm, ngArm, clockNoise), r.ClaimBelow(atArm, arpArm, clockNoise),
	}, r.Ratio(ngArm, arpArm))
}

// lossNoise is the relative difference of GLP that other random choices make.
const lossNoise = 0.02

// judgeARPLosses judges Figs. 2, 4 and 6.
func judgeARPLosses(f *evaluation.Figure, x string, rising bool, causes ...string) {
	r := f.Read(x)
	claims := []evaluation.Claim{
		r.ClaimBelow(arpArm, atArm, lossNoise), r.ClaimBelow(aipArm, atArm, lossNoise), r.ClaimBelow(ngArm, atArm, lossNoise),
		r.ClaimBelow(arpArm, aipArm, lossNoise), r.ClaimBelow(ngArm, aipArm, lossNoise), r.ClaimNear(arpArm, ngArm, 2*lossNoise),
	}
	for _, label := range append([]string{arpArm}, arpRivals...) {
		if rising {
			claims = append(claims, r.Rises(label, lossNoise))
		} else {
			claims = append(claims, r.Falls(label, lossNoise))
		}
	}
	if x == "d" {
		claims = append(claims, r.NothingAt(1, arpArm), r.NothingAt(1, aipArm), r.NothingAt(1, ngArm))
	}
	f.Conclude(
		r.Summary(f.Labels()...),
		claims,
		append(causes, r.Ratio(aipArm, atArm), r.Ratio(arpArm, atArm), r.Ratio(arpOn, arpArm), r.Ratio(arpAlike, arpArm))...)
}
