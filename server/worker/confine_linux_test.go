package worker

import (
	"errors"
	"io"
	"net/rpc"
	"os"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// namespaces are the names in a unit's RestrictNamespaces=.
var namespaces = map[string]uintptr{
	"cgroup": unix.CLONE_NEWCGROUP, "ipc": unix.CLONE_NEWIPC, "mnt": unix.CLONE_NEWNS, "net": unix.CLONE_NEWNET,
	"pid": unix.CLONE_NEWPID, "user": unix.CLONE_NEWUSER, "uts": unix.CLONE_NEWUTS,
}

// The package's unit allows the namespaces of a worker.
func TestUnitAllowsNamespaces(t *testing.T) {
	unit, err := os.ReadFile("../../packaging/anonsql.service")
	if err != nil {
		t.Fatal(err)
	}
	restricted := regexp.MustCompile(`(?m)^RestrictNamespaces=(.*)$`).FindSubmatch(unit)
	if restricted == nil {
		t.Fatal("the unit restricts no namespaces: this test reads nothing")
	}
	allowed := uintptr(0)
	for _, name := range strings.Fields(string(restricted[1])) {
		allowed |= namespaces[name]
	}
	a, err := attributes(true)
	if err != nil || a.Cloneflags == 0 || a.Cloneflags&^allowed != 0 {
		t.Errorf("a worker asks for namespaces %#x, the unit allows %#x (%q), %v", a.Cloneflags, allowed, restricted[1], err)
	}
}

// Where a seccomp filter forbids namespaces, as RestrictNamespaces=yes and Docker's default profile do, a worker starts without them, and says why.
func TestForbiddenNamespaces(t *testing.T) {
	runtime.LockOSThread() // for good: the thread with the filter ends with the test
	forbidNamespaces(t)
	p, err := Start(rpc.NewServer(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	if !errors.Is(p.Network, syscall.EPERM) {
		t.Errorf("the worker says of its network: %v", p.Network)
	}
}

// forbidNamespaces makes clone with a flag of a namespace fail in this thread.
func forbidNamespaces(t *testing.T) {
	t.Helper()
	forbidden := uint32(0)
	for _, flag := range namespaces {
		forbidden |= uint32(flag)
	}
	const number, flags = 0, 16 // where they are in seccomp_data
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_CLONE, Jf: 3},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: flags},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: forbidden, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		t.Fatal(err)
	}
}
