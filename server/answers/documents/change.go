package documents

import (
	"maps"
	"slices"
)

// edit applies with to the value at a path. It copies what it changes and leaves the given document alone. changed is false if with
// changes nothing or the path leads nowhere.
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

// change replaces the value at a path (with replace), or adds one if there is none (with add).
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

// added adds a value to parent at a leg that leads nowhere from there.
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

// inserted returns a copy of an array with a value inserted before an index, at most at its end.
func inserted(list []any, before index, value any) []any {
	at := min(max(before.position(len(list)), 0), len(list))
	return slices.Insert(slices.Clip(list), at, value)
}

// appended appends a value to an array, or makes an array of a scalar or object and the value.
func appended(v, value any) any {
	if list, ok := v.([]any); ok {
		return append(slices.Clip(list), value)
	}
	return []any{v, value}
}

// remove returns a copy of a document without the value at a path.
func (p path) remove(doc any) any {
	way := p.unwrapped(doc)
	if len(way) == 0 {
		return doc
	}
	made, _ := way[:len(way)-1].edit(doc, func(parent any) (any, bool) { return removed(parent, way[len(way)-1]) })
	return made
}

// unwrapped drops the legs that treat a value as an array of itself.
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

// removed returns a copy of a value without the one at a leg.
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
