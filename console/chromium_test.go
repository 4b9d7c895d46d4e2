package console_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/anonsql/anonsql/testsize"
)

// A chromium is driven over a pipe, in the browser's DevTools protocol.
type chromium struct {
	t       *testing.T
	out     *os.File
	in      *bufio.Reader
	id      int
	session string
}

var pictures = flag.String("pictures", "", "folder that TestInChromium writes pictures of the pages to")

// openChromium starts a browser with one page, and ends it with the test.
func openChromium(t *testing.T) *chromium {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		testsize.Missing(t, "chromium is not installed")
	}
	profile, err := os.MkdirTemp("", "anonsql-console-*")
	if err != nil {
		t.Fatal(err)
	}
	theirIn, out, err1 := os.Pipe()
	in, theirOut, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	command := exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run",
		"--remote-debugging-pipe", "--user-data-dir="+profile)
	command.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4, as the protocol wants
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	watchdog := time.AfterFunc(3*time.Minute, func() { _ = command.Process.Kill() }) // reads end then, and the test fails
	t.Cleanup(func() {
		watchdog.Stop()
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
		out.Close()
		in.Close()
		os.RemoveAll(profile)
	})
	b := &chromium{t: t, out: out, in: bufio.NewReader(in)}
	target := b.call("Target.createTarget", map[string]any{"url": "about:blank"})
	b.session = b.call("Target.attachToTarget", map[string]any{"targetId": target["targetId"], "flatten": true})["sessionId"].(string)
	return b
}

// call sends a command and waits for its result; events are passed over.
func (b *chromium) call(method string, parameters map[string]any) map[string]any {
	b.t.Helper()
	b.id++
	message := map[string]any{"id": b.id, "method": method}
	if parameters != nil {
		message["params"] = parameters
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err == nil {
		_, err = b.out.Write(append(text, 0))
	}
	for err == nil {
		var line []byte
		if line, err = b.in.ReadBytes(0); err != nil {
			break
		}
		var said struct {
			ID     int
			Result map[string]any
			Error  map[string]any
		}
		if err = json.Unmarshal(line[:len(line)-1], &said); err == nil && said.ID == b.id {
			if said.Error != nil && !leavesPage(method, said.Error["message"]) {
				b.t.Fatalf("%s: %v", method, said.Error)
			}
			return said.Result
		}
	}
	b.t.Fatalf("%s: %v", method, err)
	return nil
}

// leavesPage reports whether an expression has no value because another page was loading, for instance a page that
// reloads itself.
func leavesPage(method string, message any) bool {
	return method == "Runtime.evaluate" && slices.Contains([]any{
		"Inspected target navigated or closed", "Cannot find default execution context", "Execution context was destroyed.",
	}, message)
}

// value evaluates an expression in the page; nil while another page is loading.
func (b *chromium) value(expression string) any {
	b.t.Helper()
	result, _ := b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})["result"].(map[string]any)
	return result["value"]
}

// until waits for an expression to be true.
func (b *chromium) until(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); b.value(expression) != true; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("after a minute this is not so: %s\n%v", expression, b.value("document.body.innerText"))
		}
	}
}

// press clicks the element of a selector, and waits for the next page with this heading.
func (b *chromium) press(selector, heading string) {
	b.t.Helper()
	b.value("window.old = true, document.querySelector(" + fmt.Sprintf("%q", selector) + ").click()")
	b.until(fmt.Sprintf("!window.old && document.readyState === 'complete' && document.querySelector('h1')?.textContent === %q", heading))
}

func (b *chromium) key(name string) {
	b.t.Helper()
	code := map[string]int{"ArrowDown": 40, "Enter": 13, "Tab": 9}[name]
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "rawKeyDown", "key": name, "code": name, "windowsVirtualKeyCode": code, "text": map[string]string{"Enter": "\r"}[name]})
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name, "code": name, "windowsVirtualKeyCode": code})
}

// looks checks the layout at a telephone's and a screen's width, and writes pictures below -pictures.
func (b *chromium) looks(name string) {
	b.t.Helper()
	for _, width := range testsize.Levels([]int{390}, []int{390, 1100}, []int{390, 1100}) {
		b.resize(width)
		if wide := b.value("document.documentElement.scrollWidth"); wide != float64(width) {
			b.t.Errorf("%s is %v wide at %d: %v", name, wide, width, b.value("[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest('.scroll')).map(e => e.outerHTML.slice(0, 80)).slice(0, 3).join()"))
		}
		if unnamed := b.value("[...document.querySelectorAll('input:not([type=hidden]), select, textarea')].filter(e => !e.labels.length).length"); unnamed != 0.0 {
			b.t.Errorf("%s has %v fields without a label", name, unnamed)
		}
		if weight := b.value("getComputedStyle(document.querySelector('h1')).fontWeight"); weight != "650" {
			b.t.Errorf("%s: the style was not applied: %v", name, weight)
		}
		b.accessible(name)
		picture, err := base64.StdEncoding.DecodeString(b.call("Page.captureScreenshot", map[string]any{"format": "png"})["data"].(string))
		if err != nil || len(picture) < 2000 {
			b.t.Errorf("%s: a picture of %d bytes, %v", name, len(picture), err)
		}
		if folder := *pictures; folder != "" {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%d.png", name, width)), picture, 0o600); err != nil {
				b.t.Error(err)
			}
		}
	}
	b.resize(1100)
}

func (b *chromium) resize(width int) {
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false})
}

// A browser signs in, publishes, has a name completed, and sees the answer drawn, under the policy of the pages.
func TestInChromium(t *testing.T) {
	b := openChromium(t)
	address := serve(t, pictured())
	b.call("Page.navigate", map[string]any{"url": "http://" + address + "/"})
	b.until("document.readyState === 'complete' && !!document.querySelector('#account')")
	b.looks("sign-in")
	b.auditFinds()
	b.value("document.querySelector('#account').value = 'root'")
	b.press("main button", "Releases")
	b.looks("releases")
	b.press("a[href='/publish']", "Publish")
	b.press("a[href*='table=people']", "Publish")
	b.value("document.querySelector('#publish').value = 'second'")
	b.looks("publish")
	b.keyboard()
	b.value("document.querySelector('button[value=publish]').click()")
	b.until("document.readyState === 'complete' && document.querySelector('h1')?.textContent === 'second' && document.body.innerText.includes('Published in')")
	b.progresses()
	b.tunes()
	b.press("a[href='/jobs']", "Jobs")
	b.looks("jobs")
	b.press("a[href='/accounts']", "Accounts")
	b.looks("accounts")
	b.press("a[href='/ask']", "Ask")
	b.looks("ask-first")
	b.value("document.querySelector('#statement').value = '', document.querySelector('#statement').focus()")
	b.call("Input.insertText", map[string]any{"text": "SELECT disease, COUNT(*) AS n FROM peop"})
	b.until("!document.querySelector('#suggestions').hidden")
	b.until("(([list, field]) => list.top > field.top + 20 && list.top < field.top + 90)(['suggestions', 'statement'].map(id => document.getElementById(id).getBoundingClientRect()))") // at the cursor
	b.key("ArrowDown")
	b.key("Enter")
	b.until("document.querySelector('#statement').value.endsWith(' FROM people') && document.querySelector('#suggestions').hidden")
	b.call("Input.insertText", map[string]any{"text": " WHERE age >= 40 GROUP BY disease"})
	b.press("#ask", "Ask")
	b.until("document.querySelectorAll('.wide rect.bar').length === 5 && document.querySelectorAll('.wide line.whisker').length === 15")
	b.looks("ask")
	b.saves()
	b.stops()
	b.value("document.querySelector('#name').value = 'by disease'")
	b.press("button[formaction='/questions']", "Ask")
	b.value("document.querySelector('details').open = true")
	b.press(".kept a", "Ask")
	b.until("document.querySelector('#statement').value.startsWith('SELECT disease, COUNT(*)') && document.querySelector('#name').value === 'by disease'")
}

// stops expects no stop button if nothing runs, and a working one if something does.
func (b *chromium) stops() {
	b.t.Helper()
	b.until("document.querySelector('#stop').hidden")
	at := b.value("(e => { e.hidden = false; e.scrollIntoView({ block: 'center' }); const r = e.getBoundingClientRect(); e.hidden = true; return [r.x + 9, r.y + 9] })(document.querySelector('#stop'))").([]any)
	b.value("document.querySelector('#statement').value = 'SELECT SLEEP(50)', document.querySelector('#ask').click()")
	time.Sleep(2 * time.Second) // a page that is being left answers no expression: the pointer presses where the button must be
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1})
	}
	began := time.Now()
	b.until("document.readyState === 'complete' && /stopped: 1|No question/.test(document.querySelector('[role=status]')?.textContent)")
	if took := time.Since(began); took > 30*time.Second {
		b.t.Errorf("the question was stopped after %v", took)
	}
	b.value("document.querySelector('#statement').value = 'SELECT disease, COUNT(*) AS n FROM people WHERE age >= 40 GROUP BY disease'")
}

// saves has the drawing as files, and the values under the pointer.
func (b *chromium) saves() {
	b.t.Helper()
	for _, id := range []string{"as-svg", "as-png"} {
		b.value("document.getElementById('" + id + "').click()")
		b.until("document.getElementById('" + id + "').dataset.saved > 2000")
	}
	at := b.value("(e => { e.scrollIntoView(); const r = e.getBoundingClientRect(); return [r.x + 3, r.y + 3] })(document.querySelector('.wide rect.bar'))").([]any)
	b.call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at[0], "y": at[1]})
	b.until("/: .*, certainly [0-9]+ to [0-9]+$/.test(document.querySelector('#tip:not([hidden])')?.textContent)")
}

// pictured is a table that looks like one, where pictures are wanted.
func pictured() table {
	if *pictures == "" {
		return hostileTable()
	}
	random := rand.New(rand.NewPCG(1, 2))
	t := table{database: "hospital", column: "region"}
	for range 900 { // of more the server measures releases when they are published, and no picture would show how
		age := 18 + random.IntN(70)
		diseases := []string{"asthma", "migraine", "fracture", "hypertension", "arthritis"}
		disease := diseases[(age/14+random.IntN(2)*random.IntN(5))%len(diseases)]
		t.rows = append(t.rows, fmt.Sprintf("(%d, '%s', '%s')", age, []string{"north", "south", "east", "west"}[random.IntN(4)], disease))
	}
	return t
}

// progresses starts long work, sees its progress, and stops it; then it measures two releases, and sees the plot.
func (b *chromium) progresses() {
	b.t.Helper()
	if b.value("!document.querySelector('form[action=\"/measure\"]')") == true { // those that are large enough for pictures were measured when they were published
		b.looks("release")
		return
	}
	b.value("document.querySelectorAll('form[action=\"/measure\"] [name=queries]').forEach(e => e.value = '300000')")
	b.press("form[action='/measure'] button", "Measure second")
	b.until("document.querySelector('#share')?.value > 0 && document.querySelector('#of').textContent !== ''")
	b.looks("progress")
	b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	for _, reload := range []func(){func() { b.call("Page.reload", nil) }, func() {}} { // the second time the page loads itself
		b.value("window.old = true")
		reload()
		b.until("!window.old && document.readyState === 'complete' && !!document.querySelector('#share')?.value")
	}
	b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": false})
	b.call("Page.reload", nil)
	b.until("document.readyState === 'complete' && !!document.querySelector('form[action=\"/work/stop\"]')")
	b.press("form[action='/work/stop'] button", "Measure second")
	b.until("!!document.querySelector('[role=alert]')?.textContent.includes('1317')")
	for _, name := range []string{"second", "people"} {
		b.press("a[href='/']", "Releases")
		b.press("a[href='/release?name=second']", "second")
		b.value(fmt.Sprintf("document.querySelector('form[action=\"/measure\"]:has([value=%s])').requestSubmit()", name))
		b.until("!document.querySelector('progress') && !!document.querySelector('main td') && document.querySelector('h1').textContent === 'Measure " + name + "'")
	}
	b.press("a[href='/']", "Releases")
	b.press("a[href='/release?name=second']", "second")
	b.until("document.querySelectorAll('a > circle').length === 2")
	b.looks("release")
}

// tunes compares methods, and copies one into the form.
func (b *chromium) tunes() {
	b.t.Helper()
	b.press("a[href='/publish']", "Publish")
	b.press("a[href*='table=people']", "Publish")
	b.value("document.querySelector('button[value=tune]').click()")
	b.until("document.querySelectorAll('a > circle').length > 0 && document.querySelector('#share') !== null || !!document.querySelector('#suggested')") // while others are tried
	b.until("document.querySelectorAll('a > circle').length > 3 && !!document.querySelector('#suggested') && document.readyState === 'complete'")
	b.looks("tune")
	b.value("window.old = true, document.querySelector('a:has(circle.best)').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
	b.until("!window.old && [...document.querySelectorAll('[name^=\"p:\"]')].filter(e => e.checkVisibility() && e.value).length > 0")
}
