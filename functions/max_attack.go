package functions

import (
	"fmt"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/locality"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions/options"
)

// asksAttacks has the options whether to measure attacks before a release is stored, and how far they may get.
type asksAttacks struct {
	// attacks is the owner's "true" or "false"; otherwise the number of records decides.
	attacks string
	// maxAttack is the limit of a learning attacker's success; nil: none.
	maxAttack *anonymize.Ratio
}

// readAttacks reads attacks and max_attack, which bounds the success of attackers who have the
// release but nobody's sensitive value, and makes the attacks run, however few the records are.
func (a *asksAttacks) readAttacks(given anonymize.Settings, sensitive []string) error {
	a.attacks = options.Attacks.Read(given)
	text, ok := options.MaxAttack.Given(given)
	if !ok {
		return nil
	}
	if a.attacks == "false" {
		return &anonymize.ParameterError{Parameter: "attacks", Value: "false",
			Rule: fmt.Sprintf("but %s=%s needs the attacks: leave one of the two out", options.MaxAttack.Name(), text)}
	}
	if len(sensitive) == 0 {
		return &anonymize.ParameterError{Parameter: options.MaxAttack.Name(), Value: text,
			Rule: "but there is no sensitive attribute that an attacker could learn: name one with sa=, or leave it out"}
	}
	limit := options.MaxAttack.Read(given)
	a.maxAttack, a.attacks = &limit, "true"
	return nil
}

// attacksOf reports whether attacks are measured on a release with the given number of records.
func (a *asksAttacks) attacksOf(rows int) bool {
	return a.attacks != "false" && !(rows < fewAttacked && a.attacks == "")
}

func (p *publication) limitAttack(*sql.Context) error { return p.limit(p.run, &p.Record, p.waysOut()) }

func (p *enginePublication) limitAttack(*sql.Context) error {
	return p.limit(p.run, &p.Record, p.waysOut())
}

// limit refuses a release from which an attacker who only reads it learns more than the owner allows: the greatest mean probability of the actual
// value, over the sensitive attributes and both learners. The learner by completed tables must have been measured. The limit is kept in the details,
// since nobody can recompute it as a promise. ways are hints for smaller figures.
func (a *asksAttacks) limit(r *run, record *catalog.ReleaseRecord, ways string) error {
	if a.maxAttack == nil {
		return nil
	}
	var worst *anonymize.Guarantee
	measured := 0
	for i := range record.Guarantees {
		g := &record.Guarantees[i]
		if g.Name != definetti && g.Name != learned {
			continue
		}
		if g.Name == learned {
			measured++
		}
		g.Detail += fmt.Sprintf("; %s = %s", options.MaxAttack.Name(), a.maxAttack)
		if worst == nil || g.Attack.Mean > worst.Attack.Mean {
			worst = g
		}
	}
	if measured < len(r.roles.Sensitive) {
		reason := r.unlearned
		if reason == "" {
			reason = r.method.Name + " does not tell which record is in which group"
		}
		return &anonymize.DataError{
			Reason: fmt.Sprintf("%s = %s cannot be checked: %s. Leave %s out and look at the attacks in ANON_PRIVACY of a private release, "+
				"or take a method that publishes values as they are, such as anatomy, slppa or asn", options.MaxAttack.Name(), a.maxAttack, reason, options.MaxAttack.Name()),
		}
	}
	mean := worst.Attack.Mean
	if mean <= a.maxAttack.Float()+1e-9 { // sums of probabilities are less exact
		return nil
	}
	about, _, _ := strings.Cut(worst.Detail, ", ")
	return &anonymize.InfeasibleError{Parameter: options.MaxAttack.Name(), Given: *a.maxAttack,
		Smallest: anonymize.NewRatio(uint64(math.Ceil(1000*mean-1e-6)), 1000),
		Obstacle: fmt.Sprintf("%s is %.4f (%s%s). Nothing is published. %s", worst.Name, mean, about, r.ofSample(worst.Attack.Records, worst.Attack.Records), ways)}
}

// waysOut are hints for smaller figures of attackers.
func (p *publication) waysOut() string {
	ways := "A larger l (a smaller beta)"
	switch name := locality.Homogeneous.Name(); p.settings.Text[name] {
	case locality.Own:
		ways += ", " + name + "=true or score"
	case locality.Alike:
		ways += ", " + name + "=score"
	}
	return ways + ", another method, or fewer or coarser quasi-identifiers lower it; CALL tune with risk=" + learned + " compares them"
}

// waysOut are the hints that apply in an engine.
func (p *enginePublication) waysOut() string {
	ways := "A larger l (a smaller beta)"
	if p.method.Name == "anatomy" && p.settings.Text[locality.Homogeneous.Name()] == locality.Own {
		ways += ", " + locality.Homogeneous.Name() + "=true"
	}
	return ways + ", another method, or fewer or coarser quasi-identifiers lower it"
}
