package generalization

// A Node is a taxonomy node of an attribute, in terms of places.
type Node struct {
	First, Last uint32  // the places below it
	Parent      int     // an index into the list; -1 for the root
	Penalty     float64 // of a cell that is this node; 0 for a leaf
}

// Nodes lists the taxonomy nodes above occurring places, and every place's lowest node. NULL,
// which is no leaf, is below the root, which spans all places. Without a taxonomy both are nil.
// O(places x height).
func (a *Attribute) Nodes() (nodes []Node, lowest []int) {
	if a.taxonomy == nil {
		return nil, nil
	}
	lowest = make([]int, a.Places)
	nodes = []Node{{Last: uint32(max(a.Places, 1) - 1), Parent: -1, Penalty: a.taxonomy.Share(0)}}
	index := map[int]int{0: 0}
	for place := range a.Places {
		if a.null && place == 0 {
			lowest[place] = len(nodes)
			nodes = append(nodes, Node{})
			continue
		}
		lowest[place] = a.climb(a.taxonomy.Leaf(a.value(place)), uint32(place), index, &nodes)
	}
	return nodes, lowest
}

// climb numbers a node and its ancestors, and adds a place to all of them.
func (a *Attribute) climb(node int, place uint32, index map[int]int, nodes *[]Node) int {
	i, known := index[node]
	if !known {
		parent := a.climb(a.taxonomy.Parent(node), place, index, nodes)
		i = len(*nodes)
		index[node] = i
		*nodes = append(*nodes, Node{First: place, Last: place, Parent: parent, Penalty: a.taxonomy.Share(node)})
	}
	for at := i; at > 0; at = (*nodes)[at].Parent {
		(*nodes)[at].Last = max((*nodes)[at].Last, place)
	}
	return i
}
