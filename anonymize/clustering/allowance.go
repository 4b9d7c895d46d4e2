package clustering

// An allowance says which sensitive values the next record of a link-free group may have: those
// of classes that the group lacks, and only critical ones if the group must take these.
type allowance struct {
	*Catalogue
	quota  *quota
	taken  []bool // by class
	of     []uint32
	only   bool     // critical ones
	kinds  uint64   // a superset of the allowed kinds, as bits
	bits   []uint64 // by class: those of its values
	shared uint64   // bits that several classes have
}

func newAllowance(k *Catalogue, q *quota) *allowance {
	a := &allowance{Catalogue: k, quota: q, taken: make([]bool, k.Classes), bits: make([]uint64, k.Classes)}
	for v, class := range k.Class {
		a.bits[class] |= k.kind(uint32(v))
	}
	seen := uint64(0)
	for _, bits := range a.bits {
		a.shared |= seen & bits
		seen |= bits
	}
	return a
}

// reset begins the next group.
func (a *allowance) reset() {
	for _, class := range a.of {
		a.taken[class] = false
	}
	a.of = a.of[:0]
}

func (a *allowance) add(class uint32) {
	a.taken[class] = true
	a.of = append(a.of, class)
}

// prepare must be called after changes of the group and before queries.
func (a *allowance) prepare(only bool) {
	a.only, a.kinds = only, ^uint64(0)
	if only {
		a.kinds = 0
		for class := range a.taken {
			if !a.taken[class] && a.quota.isCritical(uint32(class)) {
				a.kinds |= a.bits[class]
			}
		}
		return
	}
	for _, class := range a.of {
		a.kinds &^= a.bits[class] &^ a.shared
	}
}

func (a *allowance) allows(value uint32) bool {
	class := a.Class[value]
	return !a.taken[class] && (!a.only || a.quota.isCritical(class))
}
