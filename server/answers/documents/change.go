package documents

import (
	"maps"
	"slices"
)

// edit is a document with what a path leads to edited; changed is false where it stays, or where the path leads nowhere. Nothing of
// the given document is changed: what has changed is a copy.
func (p path) edit(v any, with func(v any) (any, bool)) (made any, changed bool) {
	if len(p) == 0 {
		return with(v)
	}
	next := p[0]
	switch own := v.(type) {
	case map[string]any:
		if old, ok := own[next.name]; ok && next.kind == member {
			if made, changed = p[1:].edit(old, with); changed {
				own = maps.Clone(own)
				own[next.name] = made
			}
			return own, changed
		}
	case []any:
		if i := next.first.position(len(own)); next.kind == cell && i >= 0 && i < len(own) {
			if made, changed = p[1:].edit(own[i], with); changed {
				own = slices.Clone(own)
				own[i] = made
			}
			return own, changed
		}
		return v, false
	}
	if next.wraps() {
		return p[1:].edit(v, with)
	}
	return v, false
}

// change has a document with what a path leads to replaced, and with what it lacks added, where that is wanted.
func (p path) change(doc, value any, replace, add bool) any {
	made, exists := p.edit(doc, func(old any) (any, bool) {
		if replace {
			old = value
		}
		return old, true
	})
	if !exists && add {
		made, _ = p[:len(p)-1].edit(doc, func(parent any) (any, bool) { return added(parent, p[len(p)-1], value) })
	}
	return made
}

// added is a value with one more below a leg that leads nowhere from it.
func added(parent any, l leg, value any) (made any, changed bool) {
	members, isObject := parent.(map[string]any)
	list, isList := parent.([]any)
	switch {
	case isObject && l.kind == member:
		members = maps.Clone(members)
		members[l.name] = value
		return members, true
	case l.kind != cell:
		return parent, false
	case !isList:
		list = []any{parent}
	}
	return inserted(list, l.first, value), true
}

// inserted is an array with a value before a place, or behind its end.
func inserted(list []any, before index, value any) []any {
	at := min(max(before.position(len(list)), 0), len(list))
	return slices.Insert(slices.Clip(list), at, value)
}

// appended has a value behind the others of an array, or behind what is no array.
func appended(v, value any) any {
	if list, ok := v.([]any); ok {
		return append(slices.Clip(list), value)
	}
	return []any{v, value}
}

// remove is a document without the value to which a path leads; the document itself stays.
func (p path) remove(doc any) any {
	way := p.unwrapped(doc)
	if len(way) == 0 {
		return doc
	}
	made, _ := way[:len(way)-1].edit(doc, func(parent any) (any, bool) { return removed(parent, way[len(way)-1]) })
	return made
}

// unwrapped are the legs but for those that take a value for an array of itself.
func (p path) unwrapped(doc any) (legs path) {
	for _, l := range p {
		if _, isList := doc.([]any); !isList && l.wraps() {
			continue
		}
		legs = append(legs, l)
		_ = path{l}.walk(doc, true, func(v any, _ []any) bool {
			doc = v
			return true
		})
	}
	return legs
}

// removed is a value without the one to which a leg leads.
func removed(parent any, l leg) (made any, changed bool) {
	switch own := parent.(type) {
	case map[string]any:
		if _, ok := own[l.name]; ok && l.kind == member {
			own = maps.Clone(own)
			delete(own, l.name)
			return own, true
		}
	case []any:
		if i := l.first.position(len(own)); l.kind == cell && i >= 0 && i < len(own) {
			return slices.Delete(slices.Clone(own), i, i+1), true
		}
	}
	return parent, false
}
