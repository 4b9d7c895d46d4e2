package report_test

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"image"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/anonsql/anonsql/testsize"
)

// browser finds a Chromium. Its runs take seconds each, and no code of ours runs in
// them.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	testsize.Missing(t, "chromium is not installed")
	return ""
}

// visit runs the browser on a file and returns what it printed.
func visit(t *testing.T, path, file string, flags ...string) []byte {
	t.Helper()
	// Processes of the browser may write into the profile for a moment after its
	// end: what is left is no failure.
	profile, err := os.MkdirTemp("", "anonsql-report-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(file)}
	arguments := append([]string{"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir=" + profile}, flags...)
	command := exec.CommandContext(ctx, path, append(arguments, address.String())...)
	command.WaitDelay = time.Second
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return out.Bytes()
}

// A framed page is looked at in a frame of a telephone's or a screen's width.
type framed struct {
	page  string
	width int
}

// frame is one of a gauge.
const frame = `<iframe style="border:0;width:%dpx;height:900px" srcdoc="%s"></iframe><p></p>`

// gauge measures the page of every frame, and writes it into the paragraph after the frame: what reaches beyond the page (what scrolls by itself
// left out), which drawings are empty, and which elements there are that run.
const gauge = `<script>
onload = () => { for (const f of document.querySelectorAll('iframe')) {
  const d = f.contentDocument, root = d.documentElement, out = [];
  for (const e of d.body.querySelectorAll('*')) {
    if (e.closest('.scroll, pre, .plot, .errors, thead.away') || e.tagName === 'title') continue;
    const r = e.getBoundingClientRect();
    if (r.width > 0 && (r.right > root.clientWidth + 0.5 || r.left < -0.5)) out.push(e.tagName + '.' + e.className + ' ' + Math.round(r.right));
  }
  const empty = [...d.querySelectorAll('svg.chart')].filter(s => {
    const drawn = [...s.querySelectorAll('rect, circle, polyline, text')].filter(e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0 });
    return drawn.length < 2;
  });
  const cut = [...d.querySelectorAll('.plot text, .errors text')].filter(e => {
    const r = e.getBoundingClientRect(), box = e.closest('figure').getBoundingClientRect();
    return r.left < box.left - 1 || r.right > box.right + 1 || r.bottom > box.bottom + 1;
  });
  const b = f.nextSibling;
  b.dataset.width = root.scrollWidth; b.dataset.client = root.clientWidth; b.dataset.out = out.slice(0, 5).join(';');
  b.dataset.charts = d.querySelectorAll('svg.chart').length; b.dataset.empty = empty.length;
  b.dataset.cut = cut.map(e => e.textContent).slice(0, 5).join(';');
  b.dataset.elements = [...d.querySelectorAll('script, img, iframe, object, link, form, a[href]')].map(e => e.tagName.toLowerCase() + (e.getAttribute('href') || '')).join(' ');
  b.dataset.font = getComputedStyle(d.querySelector('h1')).fontWeight;
  f.remove(); b.dataset.done = 'yes';
} };
</script></body>`

// dump loads pages and returns what the gauge measured of each: a start tag.
func dump(t *testing.T, path string, frames ...framed) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gauge.html")
	text := []byte(`<!DOCTYPE html><body style="margin:0">`)
	for _, f := range frames {
		text = fmt.Appendf(text, frame, f.width, html.EscapeString(f.page))
	}
	if err := os.WriteFile(file, append(text, gauge...), 0o600); err != nil {
		t.Fatal(err)
	}
	dom := visit(t, path, file, "--dump-dom", "--window-size=1400,1000", "--virtual-time-budget=10000")
	measured := regexp.MustCompile(`<p [^>]*>`).FindAllString(string(dom), -1)
	if len(measured) != len(frames) {
		t.Fatalf("of %d pages %d were measured: %.300q", len(frames), len(measured), dom)
	}
	return measured
}

func checkScreenshots(t *testing.T, h *house) {
	path := browser(t)
	runAll(t, h.owner, []string{"CALL evaluate('general', 'queries=80', 'qi=1-3', 'seed=7')"})
	people := call(t, h.owner, "people", "compare=general")
	frames := []framed{{people, 390}, {people, 1280}, {call(t, h.owner, "two"), 390}, {call(t, h.owner, "live"), 390}} // wide is easy
	frames = testsize.Levels(frames[:2], frames, frames)
	for i, measured := range dump(t, path, frames...) {
		t.Run(fmt.Sprintf("page %d at %d", i, frames[i].width), func(t *testing.T) { checkLayout(t, measured, frames[i].width) })
	}
	for _, width := range testsize.Levels([]int{390}, []int{390, 1280}, []int{390, 1280}) {
		for _, scheme := range testsize.Of([]string{map[int]string{390: "dark", 1280: "light"}[width]}, []string{"dark", "light"}) {
			t.Run(fmt.Sprintf("%s at %d", scheme, width), func(t *testing.T) { checkPicture(t, path, people, width, scheme) })
		}
	}
}

func checkLayout(t *testing.T, measured string, width int) {
	t.Helper()
	for pattern, what := range map[string]string{
		`data-done="yes"`:                     "the page was not loaded",
		`data-out=""`:                         "elements reach beyond the page",
		`data-cut=""`:                         "labels of a drawing are cut",
		`data-empty="0"`:                      "drawings are empty",
		`data-charts="\d+"`:                   "there are no drawings",
		`data-font="650"`:                     "the style sheet was not applied",
		fmt.Sprintf(`data-width="%d"`, width): "the page scrolls sideways",
	} {
		if !regexp.MustCompile(pattern).MatchString(measured) {
			t.Errorf("%s: %s", what, measured)
		}
	}
}

// checkPicture: the sheet is dark or light, text and drawings stand out from it.
func checkPicture(t *testing.T, path, page string, width int, scheme string) {
	t.Helper()
	folder := t.TempDir()
	file, picture := filepath.Join(folder, "report.html"), filepath.Join(folder, "report.png")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	preferred := map[string]string{"dark": "0", "light": "1"}[scheme]
	visit(t, path, file, "--screenshot="+picture, fmt.Sprintf("--window-size=%d,3600", width), "--blink-settings=preferredColorScheme="+preferred)
	opened, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	drawn, err := png.Decode(opened)
	if err != nil {
		t.Fatal(err)
	}
	if drawn.Bounds().Dx() != width {
		t.Errorf("the picture is %d pixels wide, want %d", drawn.Bounds().Dx(), width)
	}
	mean, accent, ink := look(drawn, scheme == "dark")
	if scheme == "dark" && mean > 70 || scheme == "light" && mean < 200 {
		t.Errorf("the mean luminance is %.0f of 255", mean)
	}
	// Drawings are in the accent's colour, text in that of ink.
	if accent < 0.0005 || ink < 0.002 {
		t.Errorf("%.4f of the picture is of the accent's colour, %.4f of ink", accent, ink)
	}
}

// look returns the mean luminance (0 to 255), and the shares of pixels in the blue
// of drawings and in the colour of text.
func look(m image.Image, dark bool) (mean, accent, ink float64) {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, blue, _ := m.At(x, y).RGBA()
			light := (0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(blue)) / 257
			mean += light
			if blue > r+0x5000 {
				accent++
			}
			if dark && light > 190 || !dark && light < 70 {
				ink++
			}
		}
	}
	n := float64(b.Dx() * b.Dy())
	return mean / n, accent / n, ink / n
}
