package functions

import (
	"fmt"
	"math"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/locality"
	"github.com/anonsql/anonsql/functions/options"
)

// readLimit reads max_attack, which bounds what attackers reach who have the release
// and nobody's sensitive value. It has the attacks run, however few the records are.
func (p *publication) readLimit(given anonymize.Settings) error {
	text, ok := options.MaxAttack.Given(given)
	if !ok {
		return nil
	}
	if p.attacks == "false" {
		return &anonymize.ParameterError{
			Parameter: "attacks",
			Value:     "false",
			Rule:      fmt.Sprintf("but %s=%s needs the attacks: leave one of the two out", options.MaxAttack.Name(), text),
		}
	}
	if len(p.roles.Sensitive) == 0 {
		return &anonymize.ParameterError{Parameter: options.MaxAttack.Name(), Value: text,
			Rule: "but there is no sensitive attribute that an attacker could learn: name one with sa=, or leave it out"}
	}
	limit := options.MaxAttack.Read(given)
	p.maxAttack, p.attacks = &limit, "true"
	return nil
}

// limitAttack refuses a release of which an attacker who only reads it learns more than the
// owner allows: the greatest mean probability of the actual value, over the sensitive
// attributes and both learners. That of completed tables must have been measured. The
// limit is kept in the details: it is no promise that anybody could recompute.
func (p *publication) limitAttack(*sql.Context) error {
	if p.maxAttack == nil {
		return nil
	}
	var worst *anonymize.Guarantee
	measured := 0
	for i := range p.Record.Guarantees {
		g := &p.Record.Guarantees[i]
		if g.Name != definetti && g.Name != learned {
			continue
		}
		if g.Name == learned {
			measured++
		}
		g.Detail += fmt.Sprintf("; %s = %s", options.MaxAttack.Name(), p.maxAttack)
		if worst == nil || g.Achieved > worst.Achieved {
			worst = g
		}
	}
	if measured < len(p.input.Sensitive) {
		reason := p.unlearned
		if reason == "" {
			reason = p.method.Name + " does not tell which record is in which group"
		}
		return &anonymize.DataError{
			Reason: fmt.Sprintf("%s = %s cannot be checked: %s. Leave %s out and look at the attacks in ANON_PRIVACY of a private release, "+
				"or take a method that publishes values as they are, such as anatomy, slppa or asn", options.MaxAttack.Name(), p.maxAttack, reason, options.MaxAttack.Name()),
		}
	}
	if worst.Achieved <= p.maxAttack.Float() {
		return nil
	}
	about, _, _ := strings.Cut(worst.Detail, ", ")
	return &anonymize.InfeasibleError{Parameter: options.MaxAttack.Name(), Given: *p.maxAttack,
		Smallest: anonymize.NewRatio(uint64(math.Round(1000*worst.Achieved)), 1000),
		Obstacle: fmt.Sprintf("%s is %.3f (%s). Nothing is published. %s", worst.Name, worst.Achieved, about, p.waysOut())}
}

// waysOut are what makes the attackers' figures smaller.
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
