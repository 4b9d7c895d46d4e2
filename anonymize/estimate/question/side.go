package question

import "slices"

// SharesOf returns the shares of a tuple in the classes of the side, and whether they are all of it.
func (s *Side) SharesOf(t uint32, space *ShareScratch) ([]Share, bool) {
	if !s.Point {
		return s.Cells.SharesOf(t, space)
	}
	space.shares = space.shares[:0]
	if class, ok := s.ClassOf(t); ok {
		space.shares = append(space.shares, Share{class, 1})
	}
	return space.shares, true
}

// ClassOfTuple is dead where a unit says so.
func (s *Side) ClassOfTuple(t uint32) uint32 {
	class, stride := uint32(0), uint32(1)
	for _, u := range s.Units {
		c := u.ClassOf[u.Codes[t]]
		if c == Dead {
			return Dead
		}
		class += c * stride
		stride *= uint32(u.Classes)
	}
	return class
}

// ClassesOf finds the classes of as many tuples as there is room for, dead where one fails
// a condition.
func (s *Side) ClassesOf(from uint32, classes []uint32) {
	stride := uint32(1)
	for i, u := range s.Units {
		codes, classOf := u.Codes[from:][:len(classes)], u.ClassOf
		if i == 0 {
			for t, code := range codes {
				classes[t] = classOf[code]
			}
		} else {
			for t, code := range codes {
				if c := classOf[code]; c == Dead {
					classes[t] = Dead
				} else if classes[t] != Dead {
					classes[t] += c * stride
				}
			}
		}
		stride *= uint32(u.Classes)
	}
}

// ClassOf is the class of a tuple of points; ok is false where it fails a condition.
func (s *Side) ClassOf(t uint32) (class uint32, ok bool) {
	stride := uint32(1)
	for _, u := range s.Units {
		c := u.ClassOf[u.Codes[t]]
		if c == Dead {
			return 0, false
		}
		class += c * stride
		stride *= uint32(u.Classes)
	}
	return class, true
}

// Filters says whether some values of the unit fail a condition.
func (u *Unit) Filters() bool { return slices.Contains(u.ClassOf, Dead) }
