package cache

import "testing"

// A full cache evicts the least recently used values first.
func TestLeastRecentlyUsedGoesFirst(t *testing.T) {
	c := New(30)
	a, b, d := Key{Storage: 1}, Key{Storage: 2}, Key{Storage: 3}
	c.Put(a, 1, "a", 10)
	c.Put(b, 1, "b", 10)
	c.Get(a, 1)
	c.Put(d, 1, "d", 15)
	if c.Get(b, 1) != nil || c.Get(a, 1) != "a" || c.Get(d, 1) != "d" {
		t.Errorf("kept: %v %v %v, want a and d", c.Get(a, 1), c.Get(b, 1), c.Get(d, 1))
	}
	c.Put(b, 1, "larger than everything", 31)
	if used, limit := c.Bytes(); c.Get(b, 1) != nil || used != 25 || limit != 30 {
		t.Errorf("%d of %d bytes", used, limit)
	}
	c.SetLimit(20)
	if used, _ := c.Bytes(); used != 15 || c.Get(a, 1) != nil || c.Get(d, 1) != "d" {
		t.Errorf("%d bytes under a limit of 20", used)
	}
	if freed := c.Clear(); freed != 15 || c.Get(d, 1) != nil {
		t.Errorf("%d bytes freed", freed)
	}
	if _, limit := c.Bytes(); limit != 20 {
		t.Errorf("the limit is %d after Clear", limit)
	}
}

// A value has a version, and an older version does not replace it.
func TestVersions(t *testing.T) {
	c := New(100)
	key := Key{Storage: 1, Column: 2, Chunk: WholeColumn}
	c.Put(key, 5, "five", 10)
	c.Put(key, 4, "four", 10)
	if c.Get(key, 4) != nil || c.Get(key, 5) != "five" {
		t.Errorf("version 4: %v, version 5: %v", c.Get(key, 4), c.Get(key, 5))
	}
	c.Put(key, 6, "six", 20)
	if used, _ := c.Bytes(); used != 20 || c.Get(key, 5) != nil || c.Get(key, 6) != "six" {
		t.Errorf("%d bytes; version 5: %v, version 6: %v", used, c.Get(key, 5), c.Get(key, 6))
	}
	c.Put(Key{Storage: 7}, 1, "other", 5)
	c.DropStorages(map[int64]bool{1: true})
	if c.Get(key, 6) != nil || c.Get(Key{Storage: 7}, 1) != "other" {
		t.Error("dropping a storage drops another one, or nothing")
	}
	c.Drop(Key{Storage: 7})
	if used, _ := c.Bytes(); used != 0 {
		t.Errorf("%d bytes", used)
	}
}
