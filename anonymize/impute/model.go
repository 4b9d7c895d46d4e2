package impute

// A model is what the fit determines: the interactions of categories, and the base rates of the
// responses.
type model struct {
	*schema
	// theta[u*categories+v] is the interaction of two categories: symmetric, 0 within an attribute.
	theta []float32
	bias  []float32
	prior *prior
	// centre is the point towards which theta is shrunk; nil means 0.
	centre []float32
	// targets are the two-way tables that the release publishes.
	targets []*target
}

// A prior limits the variation of theta, by pair of attributes.
type prior struct {
	attributes int
	// penalty[a*attributes+b] is the weight of half the squared distance of theta from its
	// centre, in units of one conditional log-likelihood in each direction.
	penalty []float32
	// deviation[a*attributes+b] is the standard deviation of a centre; nil means that centres
	// are 0.
	deviation []float32
}

// weakPenalty is the penalty without prior knowledge.
const weakPenalty = 2

func (s *schema) weakPrior() *prior {
	p := &prior{attributes: len(s.attributes)}
	for range p.attributes * p.attributes {
		p.penalty = append(p.penalty, weakPenalty)
	}
	return p
}

// newModel starts from independence: theta is 0, and the responses have their frequencies.
func newModel(l *slots, p *prior) *model {
	m := &model{schema: l.schema, prior: p, targets: l.targets, theta: make([]float32, l.categories*l.categories),
		bias: make([]float32, l.categories-l.responses)}
	frequency, _ := l.frequencies(nil)
	for v := range m.bias {
		m.bias[v] = logarithm(max(frequency[l.responses+v], 0.5))
	}
	return m
}

func (m *model) copy() *model {
	c := *m
	c.theta = append([]float32(nil), m.theta...)
	c.bias = append([]float32(nil), m.bias...)
	return &c
}

// An ascent climbs the penalized pseudo-likelihood by gradient steps with momentum (Polyak
// 1964), each divided by the curvature under independence.
type ascent struct {
	*model
	// frequency of every category among the records, weighted by group.
	frequency []float32
	records   float32
	velocity  []float32 // of theta, then of bias
}

const (
	rate     = 0.2
	momentum = 0.8
)

func (m *model) ascend(frequency []float32, records float32) *ascent {
	return &ascent{model: m, frequency: frequency, records: records, velocity: make([]float32, len(m.theta)+len(m.bias))}
}

// step takes one step; scale is the number of records per record in the score.
func (a *ascent) step(s *score, scale float32) {
	for i := range a.attributes {
		for j := range i {
			a.stepPair(i, j, s, scale)
		}
	}
	for v := range a.bias {
		of := a.frequency[a.responses+v]
		curvature := float32(of*(1-of/a.records)) + 1
		a.move(&a.bias[v], len(a.theta)+v, float32(scale*s.bias[v])/curvature)
	}
}

func (a *ascent) stepPair(i, j int, s *score, scale float32) {
	first, second := &a.attributes[i], &a.attributes[j]
	if first.first < a.responses && second.first < a.responses {
		return
	}
	penalty := a.prior.penalty[i*len(a.attributes)+j]
	for u := first.first; u < first.end; u++ {
		for v := second.first; v < second.end; v++ {
			at := u*a.categories + v
			gradient, curvature := a.slope(u, v, s)
			g, c := a.slope(v, u, s)
			gradient, curvature = float32(scale*(gradient+g)), curvature+c
			distance := a.theta[at]
			if a.centre != nil {
				distance -= a.centre[at]
			}
			gradient -= float32(penalty * distance)
			a.move(&a.theta[at], at, gradient/(curvature+penalty))
			a.theta[v*a.categories+u] = a.theta[at]
		}
	}
}

// slope returns the gradient of the conditional likelihood of response v along theta[u, v], and
// its curvature if u and v were independent; 0 if v is no response.
func (a *ascent) slope(u, v int, s *score) (gradient, curvature float32) {
	if v < a.responses {
		return 0, 0
	}
	share := a.frequency[v] / a.records
	return s.pair[u*len(a.bias)+v-a.responses], float32(float32(a.frequency[u]*share) * (1 - share))
}

func (a *ascent) move(parameter *float32, at int, direction float32) {
	a.velocity[at] = float32(momentum*a.velocity[at]) + float32(rate*direction)
	*parameter += a.velocity[at]
}
