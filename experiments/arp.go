package experiments

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anatomy"
	"github.com/anonsql/anonsql/anonymize/arp"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/nonhomogeneous"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// ARP is section 5 of Zhu et al.: time and correspondence loss by l, by records
// and by attributes, beside AIP, Anatomy and non-homogeneous generalization.
func ARP() evaluation.Experiment {
	return evaluation.Experiment{
		Name:    "arp",
		Paper:   "Zhu et al. 2015",
		Title:   "Zhu, Tian, Du, Xie: Anonymization on Refining Partition: Same Privacy, More Utility, 2015",
		Figures: arpFigures,
	}
}

// The methods, by the paper's names.
const (
	arpArm   = "ARP"
	aipArm   = "AIP"
	atArm    = "AT"
	ngArm    = "NG"
	arpOn    = "ARP, dividing further (ours)"
	arpAlike = "ARP, alike records (ours)"
)

// arpArms returns the methods. Those as printed stop at merged blocks (Algorithm 1). Ours divide these further, or
// group along an order of the records.
func arpArms() []arm {
	refining, initial := arp.Method(), arp.InitialMethod()
	printed := anonymize.Arguments{"on_collapse": "stop"}
	return []arm{
		{arpArm, refining, printed},
		{aipArm, initial, printed},
		{atArm, anatomy.Method(), anonymize.Arguments{}},
		{ngArm, nonhomogeneous.Method(), printed},
		{arpOn, refining, anonymize.Arguments{"on_collapse": "continue"}},
		{arpAlike, refining, anonymize.Arguments{"homogeneous": "true"}},
	}
}

// A refiner is the table of the experiment.
type refiner struct {
	*evaluation.Run
	roles     anonymize.Roles
	ls, ns    []int
	fixed     int // n in settings that do not vary it
	fixedL    int
	ascending []string // the attributes by phi^2 with the sensitive one
	notes     []string
	samples   map[int]*anonymize.Microdata
	done, all int
	warm      bool
}

func newRefiner(run *evaluation.Run) (*refiner, error) {
	quasi, err := run.Attributes("arp", "age", "sex", "education", "marital_status", "race or region", "workclass", "relationship or hours_per_week")
	if err != nil {
		return nil, err
	}
	sensitive, err := run.Attribute("arp", nil, "occupation")
	if disease := run.Table.Column("disease"); disease != nil { // the bundled sample's
		sensitive, err = disease, nil
	}
	if err != nil {
		return nil, err
	}
	p := &refiner{Run: run, roles: anonymize.Roles{QuasiIdentifiers: evaluation.Names(quasi), Sensitive: []string{sensitive.Name}},
		ls: []int{2, 3, 4, 5, 6, 7}, ns: []int{5000, 10_000, 15_000, 20_000, 25_000, 30_000}, fixed: 20_000, fixedL: 5,
		samples: make(map[int]*anonymize.Microdata)}
	if run.Quick {
		p.ls, p.ns, p.fixed = []int{2, 3, 4, 5}, []int{1000, 2000, 3000, 4000}, 3000
	}
	if most := p.ns[len(p.ns)-1]; run.Table.Rows < most {
		return nil, fmt.Errorf("experiment arp needs %d complete records, the table has %d", most, run.Table.Rows)
	}
	for _, n := range append(slices.Clone(p.ns), p.fixed) {
		if p.samples[n] == nil {
			p.samples[n] = evaluation.Drawn(append(slices.Clone(quasi), sensitive), n, p.Random("samples"))
		}
	}
	p.ascending = p.byPhi()
	p.feasible()
	p.all = len(p.ls) + len(p.ns) + len(quasi)
	return p, nil
}

// byPhi sorts the attributes by phi^2 with the sensitive one, in ascending order.
func (p *refiner) byPhi() []string {
	sample := p.samples[p.fixed]
	sensitive := sample.Column(p.roles.Sensitive[0])
	phi := make(map[string]float64)
	for _, name := range p.roles.QuasiIdentifiers {
		phi[name] = association.PhiSquared(sample.Column(name), sensitive, association.Options{Bins: association.DefaultBins})
	}
	order := slices.Clone(p.roles.QuasiIdentifiers)
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(phi[a], phi[b]) })
	var texts []string
	for _, name := range order {
		texts = append(texts, name+" "+evaluation.Number(phi[name]))
	}
	p.notes = append(
		p.notes,
		fmt.Sprintf(
			"Sensitive is %s. phi^2 with it, on %s records: %s.",
			p.roles.Sensitive[0],
			evaluation.Number(float64(sample.Rows)),
			strings.Join(texts, ", "),
		),
	)
	return order
}

// feasible removes the values of l that a sample does not admit.
func (p *refiner) feasible() {
	most, obstacle := 1<<30, ""
	for _, n := range append(slices.Clone(p.ns), p.fixed) {
		column := p.samples[n].Column(p.roles.Sensitive[0])
		code, greatest := 0, 0
		for c, count := range column.Histogram() {
			if count > greatest {
				code, greatest = c, count
			}
		}
		if l := n / greatest; l < most {
			most, obstacle = l, fmt.Sprintf("%s = '%s' is %d of %d records", column.Name, column.Dictionary[code], greatest, n)
		}
	}
	if last := p.ls[len(p.ls)-1]; most < last {
		p.notes = append(p.notes, fmt.Sprintf("l above %d cannot be met: %s.", most, obstacle))
		p.ls = slices.DeleteFunc(p.ls, func(l int) bool { return l > most })
	}
	if most < p.fixedL {
		p.notes = append(p.notes, fmt.Sprintf("l = %d is used where the paper has 5.", most))
		p.fixedL = most
	}
}

// A measured has times and losses, by place.
type measured struct {
	times, losses evaluation.Tally
	blocks        map[float64]int // of the initial partition as printed
}

// runSetting runs all arms on one setting. Before the very first run, an uncounted one warms up.
func (p *refiner) runSetting(ctx context.Context, m *measured, x float64, table *anonymize.Microdata, quasi []string, l int, order string) error {
	if !p.warm {
		p.warm = true
		if err := p.runArms(ctx, &measured{}, x, table, quasi, l, order, 0); err != nil {
			return err
		}
	}
	for repetition := range p.Repetitions(9) {
		if err := p.runArms(ctx, m, x, table, quasi, l, order, repetition); err != nil {
			return err
		}
	}
	p.done++
	p.ReportProgress("arp: figures by l, by n, by d", p.done, p.all)
	return nil
}

func (p *refiner) runArms(ctx context.Context, m *measured, x float64, table *anonymize.Microdata, quasi []string, l int, order string, repetition int) error {
	for _, a := range arpArms() {
		roles := anonymize.Roles{QuasiIdentifiers: quasi, Sensitive: p.roles.Sensitive}
		in, err := anonymize.NewInput(table, roles, p.Random("release", uint64(repetition)))
		if err != nil {
			return err
		}
		a.arguments = a.argumentsWith(anonymize.Arguments{"l": strconv.Itoa(l), "order": order})
		var gidOf []uint32
		in.Assigned = func(gids []uint32) { gidOf = gids }
		runtime.GC()
		began := time.Now()
		r, err := a.method.Run(ctx, in, a.arguments)
		took := milliseconds(time.Since(began))
		if err != nil {
			return fmt.Errorf("%s: %w", a.label, err)
		}
		loss, err := utility.Loss(ctx, r, in, gidOf)
		if err != nil {
			return err
		}
		m.times.Add(a.label, x, took)
		m.losses.Add(a.label, x, *loss.Attributes[0].GLP)
		if a.label == aipArm {
			if m.blocks == nil {
				m.blocks = make(map[float64]int)
			}
			m.blocks[x] = r.Groups()
		}
	}
	return nil
}

// The orders of the attributes: Section 4.1 starts with the greatest phi^2, Section 5.3 with the least.
const (
	greatestFirst = "descending"
	minFirst      = "ascending"
)

func arpFigures(ctx context.Context, run *evaluation.Run) (figures []evaluation.Figure, err error) {
	p, err := newRefiner(run)
	if err != nil {
		return nil, err
	}
	p.ReportProgress("arp: figures by l, by n, by d", 0, p.all)
	for _, part := range []func(context.Context) ([]evaluation.Figure, error){p.byDiversity, p.byRecords, p.byAttributes} {
		made, err := part(ctx)
		if err != nil {
			return figures, err
		}
		figures = append(figures, made...)
	}
	return figures, nil
}
