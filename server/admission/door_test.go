package admission

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func address(text string) netip.Addr { return netip.MustParseAddr(text) }

// fixed are limits that do not change.
func fixed(l Limits) func() Limits { return func() Limits { return l } }

var small = Limits{LoggedIn: 4, Reserved: 2, OfAddress: 3, Arriving: 6, ArrivingOfAddress: 3, Patience: 10 * time.Second}

// visitors arrive at a door and record who was turned out.
type visitors struct {
	door *Door
	mu   sync.Mutex
	list []string
}

// out returns those who were turned out, with the reasons.
func (v *visitors) out() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.list)
}

func (v *visitors) arrive(name, from string) *Guest {
	return v.door.Arrive(address(from), func(why Reason) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.list = append(v.list, fmt.Sprint(name, why))
	})
}

// The oldest unauthenticated connection of the address gives way, then the oldest of all; authenticated ones never
// do.
func TestDisplaced(t *testing.T) {
	v := &visitors{door: NewDoor(fixed(small))}
	v.arrive("other", "10.0.0.9")
	honest := v.arrive("honest", "10.0.0.1")
	if err := honest.LogIn(Login{Account: "a"}); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		v.arrive(fmt.Sprint("flood", i), "10.0.0.1")
	}
	if want := []string{"flood01", "flood11"}; !slices.Equal(v.out(), want) {
		t.Errorf("turned out %v, want %v", v.out(), want)
	}
	v.arrive("x", "10.0.0.2")
	v.arrive("y", "10.0.0.3") // six are there
	v.arrive("z", "10.0.0.4")
	if want := []string{"flood01", "flood11", "other1"}; !slices.Equal(v.out(), want) {
		t.Errorf("turned out %v, want %v", v.out(), want)
	}
	if arriving, loggedIn := v.door.Count(); arriving != 6 || loggedIn != 1 {
		t.Errorf("%d arrive, %d are logged in", arriving, loggedIn)
	}
	v.door.MakeRoom(4)
	if arriving, loggedIn := v.door.Count(); arriving != 2 || loggedIn != 1 || v.out()[3] != "flood21" {
		t.Errorf("%d arrive, %d are logged in, %v", arriving, loggedIn, v.out())
	}
}

// An IPv6 address is counted by its network of 64 bits, the loopback interface
// as one address.
func TestOrigin(t *testing.T) {
	for _, same := range [][2]string{{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9"}, {"10.0.0.1", "::ffff:10.0.0.1"}, {"127.0.0.1", "127.9.0.2"}, {"127.0.0.1", "::1"}} {
		if Origin(address(same[0])) != Origin(address(same[1])) {
			t.Errorf("%v are two", same)
		}
	}
	for _, two := range [][2]string{{"2001:db8:1:2::1", "2001:db8:1:3::1"}, {"10.0.0.1", "10.0.0.2"}, {"127.0.0.1", "128.0.0.1"}} {
		if Origin(address(two[0])) == Origin(address(two[1])) {
			t.Errorf("%v are one", two)
		}
	}
	if Origin(netip.Addr{}) != loopback {
		t.Error("what has no address is not of this machine")
	}
}

// Who does not log in in time is turned out, and no other.
func TestLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &visitors{door: NewDoor(fixed(small))}
		slow, quick, left := v.arrive("slow", "10.0.0.1"), v.arrive("quick", "10.0.0.1"), v.arrive("left", "10.0.0.1")
		if err := quick.LogIn(Login{Account: "a"}); err != nil {
			t.Fatal(err)
		}
		left.Leave()
		time.Sleep(10*time.Second - 1) // of the bubble's clock, as in all of these tests
		synctest.Wait()
		if len(v.out()) > 0 {
			t.Errorf("turned out too early: %v", v.out())
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if want := []string{"slow0"}; !slices.Equal(v.out(), want) {
			t.Errorf("turned out %v, want %v", v.out(), want)
		}
		<-slow.Gone()
		if err := slow.LogIn(Login{Account: "a"}); !errors.Is(err, ErrGone) {
			t.Errorf("it logged in after it was turned out: %v", err)
		}
	})
}

// Logins above a limit are refused; places for administrators are kept.
func TestLogins(t *testing.T) {
	d := NewDoor(fixed(small))
	enter := func(from, account string, administrator bool) (*Guest, string) {
		g := d.Arrive(address(from), func(Reason) { t.Error("turned out") })
		err := g.LogIn(Login{Account: account, Administrator: administrator, OfAccount: 2})
		var full *Full
		if errors.As(err, &full) {
			g.Leave()
			g.Leave()
			return nil, fmt.Sprint(full.Of, full.Limit)
		}
		if err != nil {
			t.Fatal(err)
		}
		return g, ""
	}
	wants := func(want, from, account string, administrator bool) *Guest {
		t.Helper()
		g, got := enter(from, account, administrator)
		if got != want {
			t.Errorf("%s from %s: %q, want %q", account, from, got, want)
		}
		return g
	}
	first := wants("", "10.0.0.1", "a", false)
	wants("", "10.0.0.1", "a", false)
	wants("account2", "10.0.0.2", "a", false)
	wants("", "10.0.0.1", "b", false)
	wants("address3", "10.0.0.1", "c", false)
	wants("", "127.0.0.1", "b", false)
	wants("all4", "10.0.0.3", "c", false)
	wants("", "10.0.0.1", "root", true) // the address's limit does not apply to him either
	wants("", "10.0.0.1", "root", true)
	wants("all6", "10.0.0.1", "root", true)
	first.Leave()
	first.Leave()
	wants("all4", "10.0.0.1", "a", false) // the administrators are two of them
	wants("", "10.0.0.1", "root", true)
	if arriving, loggedIn := d.Count(); arriving != 0 || loggedIn != 6 {
		t.Errorf("%d arrive, %d are logged in", arriving, loggedIn)
	}
}

// The loopback interface has its own limit.
func TestLoopbackLimit(t *testing.T) {
	limits := small
	limits.OfLoopback = 1
	d := NewDoor(fixed(limits))
	for i, want := range []bool{true, false} {
		g := d.Arrive(address("127.0.0."+fmt.Sprint(i+1)), func(Reason) {})
		if err := g.LogIn(Login{Account: "a"}); (err == nil) != want {
			t.Errorf("login %d: %v", i, err)
		}
	}
}

// A closed door admits nobody, and keeps authenticated connections.
func TestClose(t *testing.T) {
	v := &visitors{door: NewDoor(fixed(small))}
	inside := v.arrive("inside", "10.0.0.1")
	if err := inside.LogIn(Login{Account: "a"}); err != nil {
		t.Fatal(err)
	}
	v.arrive("before", "10.0.0.1")
	v.door.Close()
	v.arrive("after", "10.0.0.1")
	if want := []string{"before2", "after2"}; !slices.Equal(v.out(), want) {
		t.Errorf("turned out %v, want %v", v.out(), want)
	}
	inside.Leave()
	if arriving, loggedIn := v.door.Count(); arriving != 0 || loggedIn != 0 || len(v.door.places) != 0 || len(v.door.accounts) != 0 {
		t.Errorf("%d arrive, %d are logged in, %d places, %d accounts are kept", arriving, loggedIn, len(v.door.places), len(v.door.accounts))
	}
}

// Connections that come faster than others can be closed wait at the door.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDoor(fixed(small))
		var guests []*Guest
		for range small.ArrivingOfAddress + maxLeaving - 1 {
			guests = append(guests, d.Arrive(address("10.0.0.1"), func(Reason) {}))
		}
		if !d.Await(time.Second) {
			t.Error("it waited for nothing")
		}
		guests = append(guests, d.Arrive(address("10.0.0.1"), func(Reason) {}))
		if d.Await(time.Second) {
			t.Error("it did not wait")
		}
		go func() {
			time.Sleep(time.Second)
			guests[0].Leave()
			guests[0].Leave()
		}()
		started := time.Now()
		if !d.Await(time.Minute) || time.Since(started) != time.Second {
			t.Errorf("it waited %v", time.Since(started))
		}
		for _, g := range guests {
			g.Leave()
		}
		if d.leaving != 0 {
			t.Errorf("%d are said to be leaving", d.leaving)
		}
	})
}

// The memory for clients from many addresses is bounded.
func TestManyAddresses(t *testing.T) {
	v := &visitors{door: NewDoor(fixed(small))}
	for i := range 100_000 {
		v.arrive("", fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255))
	}
	if len(v.door.places) != small.Arriving || v.door.arriving.Len() != small.Arriving || len(v.out()) != 100_000-small.Arriving {
		t.Errorf("%d places, %d guests, %d turned out", len(v.door.places), v.door.arriving.Len(), len(v.out()))
	}
}

// Clients that have answered the greeting give way after those that only connect.
func TestWhoSpeaksStays(t *testing.T) {
	d := NewDoor(fixed(small))
	var out []int
	arrive := func(n int) *Guest {
		return d.Arrive(address("192.0.2.1"), func(Reason) { out = append(out, n) })
	}
	guests := []*Guest{arrive(0), arrive(1), arrive(2)}
	guests[0].MarkAnswered()
	for n := 3; n < 5; n++ {
		guests = append(guests, arrive(n))
	}
	if want := []int{1, 2}; !slices.Equal(out, want) {
		t.Errorf("turned out %v, want %v", out, want)
	}
	guests[1].MarkAnswered() // it has gone
	for _, g := range guests {
		g.Leave()
	}
	if arriving, _ := d.Count(); arriving != 0 {
		t.Errorf("%d are left", arriving)
	}
}
