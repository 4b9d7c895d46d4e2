package fulldomain

// A verdict is a judge's result for a node.
type verdict struct {
	impossible bool // it, and hence all finer nodes, suppress more than the limit
	feasible   bool
	cost       key
	pool       pool
}

func (j *judge) judge(t *tuples) (v verdict) {
	j.violating = j.violating[:0]
	records, least := 0, 0
	for g, m := range t.count {
		bad, n := j.violates(t, g)
		if !bad {
			continue
		}
		j.violating = append(j.violating, uint32(g))
		records += int(m)
		if least += n; least > j.limit {
			return verdict{impossible: true}
		}
	}
	if records > j.limit {
		return verdict{}
	}
	if v.pool, v.feasible = j.suppress(t, j.violating); v.feasible {
		v.cost = j.cost(t, &v.pool)
	}
	return v
}
