package functions

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/locality"
	"github.com/anonsql/anonsql/anonymize/units"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/functions/texts"
)

// attackSample bounds the attacked records of a larger release. The standard error of a share is then at most 0.0023.
const attackSample = 50_000

// fewAttacked is the number of records below which attacks are not measured unless the owner insists: success on few records says little.
const fewAttacked = 1000

// measureLink measures the figures that need the link from records to groups: the loss of utility, which is stored with the release, and the
// attacks, which join its guarantees. They are for accounts that may read the raw table. Then it drops the link.
func (p *publication) measureLink(ctx *sql.Context) error {
	defer func() { p.gidOf = nil }()
	p.report("measure", 0, 2)
	loss, err := utility.Loss(ctx, p.release, p.input, p.gidOf)
	if err != nil {
		return err
	}
	p.report("measure", 1, 2)
	if p.gidOf != nil && p.attacksOf(p.release.Rows) {
		figures, err := p.attack(ctx)
		if err != nil {
			return err
		}
		p.Record.Guarantees = append(p.Record.Guarantees, figures...)
		if figures, err = p.matchRecords(ctx, loss); err != nil {
			return err
		}
		p.Record.Guarantees = append(p.Record.Guarantees, figures...)
	}
	if p.Record.Loss, err = loss.Encode(); err != nil {
		return err
	}
	p.loss = loss
	p.report("measure", 2, 2)
	return nil
}

// attack runs the known attacks on the release, one sensitive attribute after the other. If its groups are of similar records, it also attacks a
// release with the method's usual groups.
func (r *run) attack(ctx *sql.Context) ([]anonymize.Guarantee, error) {
	if r.shared || utility.SpansGroups(r.release) {
		r.unlearned = "the group of a record cannot be told from its quasi-identifiers"
		return nil, nil // these attackers know the group; see matchRecords
	}
	own, err := newVictim(ctx, r.release, r.input, r.gidOf)
	if err != nil {
		return nil, err
	}
	var usual *victim
	var position []uint32
	given := locality.Homogeneous.Read(r.settings)
	if given == locality.Alike || given == locality.ByScore { // similarity of records is a leak of its own
		if usual, err = r.usualGroups(ctx); err != nil {
			return nil, err
		}
		if position, err = locality.Order(ctx, own.table.QuasiIdentifiers); err != nil {
			return nil, err
		}
	}
	var figures []anonymize.Guarantee
	for i := range r.input.Sensitive {
		attackers := []attacker{{definetti, "an attacker who learns from the release", i, nil}, {learned, "an attacker who completes the release", i, nil}}
		if position != nil {
			attackers = append(attackers, attacker{rank, "an attacker who learns who is placed where from half of the groups", i, position})
		}
		statistics, floor, err := r.attackWithStatistics(ctx, i, *own)
		if err != nil {
			return nil, err
		}
		for j, a := range attackers {
			r.report("attack", i*len(attackers)+j, len(r.input.Sensitive)*len(attackers))
			found, err := r.compare(ctx, a, *own, usual)
			if err != nil {
				return nil, err
			}
			if a.name == learned && floor != nil {
				a.addGain(found, *floor)
			}
			figures = append(figures, found...)
		}
		figures = append(figures, statistics...)
	}
	left, err := r.intersectUnits()
	return append(figures, left...), err
}

// intersectUnits attacks with the knowledge of all records of a unit, by intersecting the values of their groups, one sensitive attribute after the other.
func (r *run) intersectUnits() (figures []anonymize.Guarantee, err error) {
	if r.input.Units == nil {
		return nil, nil
	}
	for _, sensitive := range r.input.Sensitive {
		left, err := attack.ValuesLeft(r.release, attack.Truth{Sensitive: sensitive, GroupOf: r.gidOf}, r.input.Units)
		if err != nil {
			return nil, err
		}
		sum, one := 0, 0
		for _, n := range left {
			sum += n
			if n == 1 {
				one++
			}
		}
		figures = append(figures, anonymize.Guarantee{Name: "unit_values", Achieved: float64(slices.Min(left)), WorstGroup: -1, Holds: true,
			Detail: fmt.Sprintf("%s: least number of values left of a unit after an attacker intersects the groups of all its records, %.1f on average; one value is left of %d of %d units",
				sensitive.Name, float64(sum)/float64(len(left)), one, len(left))})
	}
	return figures, nil
}

// maxMatched bounds the records that are matched: each costs some 15 microseconds if cells overlap.
const maxMatched = 200_000

// matchRecords measures p(t,s) of Li et al. 2018 for the records of a release with generalized quasi-identifiers, one
// sensitive attribute after the other, and adds its curve to the loss if there is one attribute.
func (r *run) matchRecords(ctx *sql.Context, loss *utility.LossReport) ([]anonymize.Guarantee, error) {
	if utility.GeneralizationOf(r.release) == nil {
		return nil, nil
	}
	var figures []anonymize.Guarantee
	v := victim{r.release, r.input, r.gidOf}
	for i, sensitive := range r.input.Sensitive {
		truth := r.truth(v, i)
		truth.Most = maxMatched
		found, err := attack.RecordProbabilities(ctx, r.release, truth)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			ctx.Warn(mysql.ERUnknownError, "not measured: %s", err)
			continue
		}
		if len(r.input.Sensitive) == 1 {
			for _, x := range found.Curve(11) {
				loss.Curve = append(loss.Curve, utility.ProbabilityShare{Probability: texts.Thousandths(x.Probability), Share: texts.Thousandths(x.Share)})
			}
		}
		detail := fmt.Sprintf("%s: mean probability of the actual value for an attacker who counts the records whose cells match, %.4f at most; %.1f records match on average", sensitive.Name, found.Max, found.Matches)
		if n := len(found.Of); n < r.release.Rows {
			detail += fmt.Sprintf("; of %d of %d records, spread over the table", n, r.release.Rows)
		}
		figures = append(figures, fact("matching", texts.Thousandths(found.Mean), detail+v.ofRecords()))
	}
	if len(figures) > 0 && len(r.input.Sensitive) > 1 {
		ctx.Warn(mysql.ERUnknownError, "not measured: matching_share, the curve of matching, which is of one sensitive attribute; %d are published", len(r.input.Sensitive))
	}
	return figures, nil
}

// A victim is a release with its link, and its table.
type victim struct {
	release *anonymize.Release
	table   *anonymize.Input
	gidOf   []uint32
}

// newVictim has one row per unit if no unit has two sensitive values; otherwise each record is attacked by itself.
func newVictim(ctx *sql.Context, release *anonymize.Release, table *anonymize.Input, gidOf []uint32) (*victim, error) {
	reduced, rows, groups, err := units.Reduce(ctx, release, table, gidOf)
	if errors.As(err, new(*anonymize.DataError)) {
		return &victim{release, table, gidOf}, nil
	}
	return &victim{reduced, rows, groups}, err
}

// ofRecords says if a release by units is attacked by records.
func (v victim) ofRecords() string {
	if v.release.Units == nil {
		return ""
	}
	return "; each record is attacked by itself, not all records of a unit together"
}

// truth is the truth for scoring attacks.
func (r *run) truth(v victim, sensitive int) attack.Truth {
	return attack.Truth{QuasiIdentifiers: v.table.QuasiIdentifiers, Sensitive: v.table.Sensitive[sensitive], GroupOf: v.gidOf,
		NotSensitive: r.roles.NotSensitive, Alone: r.alone}
}

// The attackers, by the names of their figures.
const definetti, learned, rank = "definetti", "learned", "rank"

// An attacker attacks one sensitive attribute; position is the order of the records, known to the rank attack.
type attacker struct {
	name, about string
	sensitive   int
	position    []uint32
}

// usualGroups runs the method once more, without homogeneous; it returns nil if that fails. The release is not kept.
func (r *run) usualGroups(ctx *sql.Context) (*victim, error) {
	input := *r.input
	var gidOf []uint32
	source, err := r.derivedSource("usual groups")
	if err != nil {
		return nil, err
	}
	input.Random, input.Progress = source, nil
	input.Assigned = func(of []uint32) { gidOf = of }
	result, err := units.Run(ctx, r.method, &input, locality.WithOwnGroups(r.arguments), anonymize.Ratio{Num: 1, Den: 1})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		ctx.Warn(mysql.ERUnknownError, "the attacks are not compared with %s=false: %s", locality.Homogeneous.Name(), err)
		return nil, nil
	}
	return newVictim(ctx, result.Release, result.Published(&input), gidOf)
}

// compare runs one attack on the release and, if there is one, on the other. If an attack does not support releases of this kind, there is a
// warning instead of a figure; but no warning if releases of the method can never be completed.
func (r *run) compare(ctx *sql.Context, a attacker, own victim, usual *victim) ([]anonymize.Guarantee, error) {
	result, err := r.launch(ctx, a, own)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		if a.name == learned {
			r.unlearned = err.Error()
		}
		if !errors.As(err, new(*attack.RefusedError)) {
			ctx.Warn(mysql.ERUnknownError, "not measured: %s", err)
		}
		return nil, nil
	}
	detail := attackDetail(r.input.Sensitive[a.sensitive].Name, a, result)
	if usual != nil {
		other, err := r.launch(ctx, a, *usual)
		switch {
		case err == nil:
			detail += fmt.Sprintf("; paper's grouping: %.3f, first guess right %.3f", other.Mean, other.Top1)
		case ctx.Err() != nil:
			return nil, err
		}
	}
	return r.figures(a, result, detail, own), nil
}

// figures are an attacker's figures for all records, and for unique ones.
func (r *run) figures(a attacker, result attack.Result, detail string, v victim) []anonymize.Guarantee {
	found := []anonymize.Guarantee{{Name: a.name, Achieved: texts.Thousandths(result.Mean), WorstGroup: -1, Holds: true,
		Detail: detail + v.ofRecords() + r.ofSample(result.Records, result.Records), Attack: r.attackFigure(a, result)}}
	if unique := result.OfAlone(); unique.Records > 0 {
		found = append(found, anonymize.Guarantee{Name: a.name + "_unique", Achieved: texts.Thousandths(unique.Mean), WorstGroup: -1, Holds: true,
			Detail: r.uniqueDetail(a, unique) + v.ofRecords() + r.ofSample(result.Records, unique.Records), Attack: r.attackFigure(a, unique)})
	}
	return found
}

// ofSample describes a figure from a sample: its number of records, and the possible error of its mean, if all records of a group count as one.
func (r *run) ofSample(attacked, among int) string {
	if attacked >= r.sampledOf {
		return ""
	}
	groups := float64(among) / float64(r.release.Rows) * float64(r.release.Groups())
	return fmt.Sprintf("; of %d of %d records, in whole groups at random, which leaves a standard error of %.3f at most", attacked, r.sampledOf, .5/math.Sqrt(max(1, groups)))
}

func (r *run) attackFigure(a attacker, x attack.Result) *anonymize.AttackFigure {
	return &anonymize.AttackFigure{Attribute: r.input.Sensitive[a.sensitive].Name, Records: x.Records, Mean: x.Mean, Baseline: texts.Thousandths(x.Baseline),
		Own90: x.Own90, Above90: x.Above90, Above90Right: x.Above90Right}
}

// uniqueDetail is attackDetail for records with unique quasi-identifiers.
func (r *run) uniqueDetail(a attacker, x attack.Result) string {
	detail := fmt.Sprintf("%s: the same for the %d attacked records that are unique by their quasi-identifiers, %.3f without learning; first guess right %.3f",
		r.input.Sensitive[a.sensitive].Name, x.Records, x.Baseline, x.Top1)
	if a.tellsSure() {
		detail += fmt.Sprintf("; above 0.5 for %.3f of these, above 0.9 for %.3f", x.Own50, x.Own90)
	}
	if x.Above90 > 0 {
		detail += fmt.Sprintf("; surer than 0.9 of %.3f of these, right of %.3f of those", x.Above90, x.Above90Right)
	}
	return detail
}

func attackDetail(attribute string, a attacker, x attack.Result) string {
	detail := fmt.Sprintf("%s: mean probability of the actual value for %s, %.3f without learning; first guess right %.3f (as among %.3g values)",
		attribute, a.about, x.Baseline, x.Top1, x.EffectiveL())
	if a.tellsSure() {
		detail += fmt.Sprintf("; above 0.5 for %.3f of the records, above 0.9 for %.3f", x.Own50, x.Own90)
	}
	if x.Above90 > 0 {
		detail += fmt.Sprintf("; surer than 0.9 of %.3f of the records, right of %.3f of these", x.Above90, x.Above90Right)
	}
	return detail
}

func (r *run) launch(ctx *sql.Context, a attacker, v victim) (attack.Result, error) {
	source, err := r.derivedSource(a.name)
	if err != nil {
		return attack.Result{}, err
	}
	truth := r.truth(v, a.sensitive)
	options := attack.Options{Sample: attackSample, Random: source}
	switch a.name {
	case rank:
		return attack.Rank(ctx, v.release, truth, a.position, options)
	case learned:
		return attack.Learned(ctx, v.release, truth, options)
	}
	return attack.DeFinetti(ctx, v.release, truth, options)
}

// derivedSource is a source for choices other than the method's: from the system's entropy, or derived from the owner's seed so that it does not
// repeat the method's.
func (r *run) derivedSource(purpose string) (rand.Source, error) {
	if r.seed == "" {
		return r.source()
	}
	return rand.NewChaCha8(sha256.Sum256([]byte(purpose + "\x00" + r.seed))), nil
}

// lossText is the loss of utility in a line.
func lossText(l *utility.LossReport) string {
	var parts []string
	for _, a := range l.Attributes {
		of := ""
		if len(l.Attributes) > 1 {
			of = a.Attribute + " "
		}
		if a.GLP != nil {
			parts = append(parts, fmt.Sprintf("%sGLP %.3g", of, *a.GLP))
		}
		if p := a.Probability; p != nil {
			parts = append(parts,
				fmt.Sprintf("%smean probability %.3g", of, p.Mean),
				fmt.Sprintf("%sgreatest probability %.3g", of, p.Greatest),
				fmt.Sprintf("%sreconstruction error %.6g (bound %.6g)", of, p.Error, p.Bound))
		}
	}
	return strings.Join(parts, "; ")
}
