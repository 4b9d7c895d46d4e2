package locality

// heads is a binary heap of values by the place of their next record, earliest first. Values in
// it can be moved or removed. All operations are O(log M) for M values.
type heads struct {
	values []uint32 // the heap
	place  []uint32 // by value
	at     []int32  // by value: its index in values, -1 if it is not in
}

func newHeads(values int) *heads {
	h := &heads{place: make([]uint32, values), at: make([]int32, values)}
	for v := range h.at {
		h.at[v] = -1
	}
	return h
}

func (h *heads) hasValue(value uint32) bool { return h.at[value] >= 0 }

// put adds a value, or moves it.
func (h *heads) put(value, place uint32) {
	if !h.hasValue(value) {
		h.at[value] = int32(len(h.values))
		h.values = append(h.values, value)
	}
	h.place[value] = place
	h.settle(int(h.at[value]))
}

// pop removes the earliest value and returns it.
func (h *heads) pop() uint32 {
	value := h.values[0]
	h.remove(value)
	return value
}

// remove removes a value in the heap.
func (h *heads) remove(value uint32) {
	hole, end := int(h.at[value]), len(h.values)-1
	h.swap(hole, end)
	h.values, h.at[value] = h.values[:end], -1
	if hole < end {
		h.settle(hole)
	}
}

// settle moves the entry at index i up or down to its position.
func (h *heads) settle(i int) {
	for i > 0 && h.isEarlier(i, (i-1)/2) {
		h.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.values); child++ {
			if h.isEarlier(child, first) {
				first = child
			}
		}
		if first == i {
			return
		}
		h.swap(i, first)
		i = first
	}
}

func (h *heads) isEarlier(i, j int) bool { return h.place[h.values[i]] < h.place[h.values[j]] }

func (h *heads) swap(i, j int) {
	h.values[i], h.values[j] = h.values[j], h.values[i]
	h.at[h.values[i]], h.at[h.values[j]] = int32(i), int32(j)
}
