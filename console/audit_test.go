package console_test

import (
	"os"
	"regexp"
	"testing"
)

// audit lists obstacles in the page for people with a keyboard, a screen reader or weak eyes: WCAG 2.2, 1.3.1, 1.4.3 (text has a contrast of 4.5 to
// 1, large text 3), 2.4.1, 2.4.3, 2.5.8, 3.1.1, 4.1.2.
const audit = `(() => {
  const bad = [], shown = e => e.checkVisibility() && e.getBoundingClientRect().width > 1;
  if (document.documentElement.lang !== 'en') bad.push('the page has no language');
  if (!document.title || document.querySelectorAll('main').length !== 1 || document.querySelectorAll('h1').length !== 1) bad.push('title, main or h1');
  let level = 1;
  for (const h of document.querySelectorAll('h1, h2, h3, h4')) {
    if (+h.tagName[1] > level + 1) bad.push('a heading leaves a level out: ' + h.textContent);
    level = +h.tagName[1];
  }
  const stops = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]')].filter(e => e.checkVisibility());
  if (stops[0]?.getAttribute('href') !== '#main' || !document.querySelector('#main')) bad.push('the first stop is not the skip link');
  for (const e of stops) {
    const name = (e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent || '').trim();
    if (!name) bad.push('without a name: ' + e.outerHTML.slice(0, 80));
    if (e.tabIndex > 0) bad.push('out of order: ' + e.outerHTML.slice(0, 80));
    if (e.matches('button, select, input:not([type=checkbox])') && e.getBoundingClientRect().height < 24) bad.push('too small: ' + e.outerHTML.slice(0, 80));
  }
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) bad.push('twice: #' + id);
  const channels = c => c.match(/[\d.]+/g).map((x, i) => c.startsWith('color(') && i < 3 ? 255 * x : +x);
  const luminance = c => { const [r, g, b] = channels(c).map(x => x / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
  const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor, [, , , a = 1] = channels(c); if (a > 0) return c; } return 'rgb(255, 255, 255)' };
  let texts = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || e.closest('title, script, noscript') || !shown(e)) continue;
    texts++;
    const style = getComputedStyle(e), size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
    const a = luminance(e.closest('svg') ? style.fill : style.color), b = luminance(behind(e)), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < (large ? 3 : 4.5)) bad.push(ratio.toFixed(2) + ' to 1: ' + walk.currentNode.textContent.trim().slice(0, 40));
  }
  if (texts < 5) bad.push('there are ' + texts + ' texts');
  return [...new Set(bad)].slice(0, 8).join('\n');
})()`

// accessible audits the page in the light and in the dark.
func (b *chromium) accessible(name string) {
	b.t.Helper()
	for _, scheme := range []string{"dark", "light"} {
		b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}})
		if found := b.value(audit); found != "" {
			b.t.Errorf("%s, %s:\n%v", name, scheme, found)
		}
	}
}

// auditFinds spoils the page, and restores it: an audit that finds nothing then would be none.
func (b *chromium) auditFinds() {
	b.t.Helper()
	for spoil, restore := range map[string]string{
		"document.querySelector('.lead').style.color = '#999'":                                          "document.querySelector('.lead').style.color = ''",
		"window.label = document.querySelector('label'), label.remove()":                                "document.querySelector('#account').before(label)",
		"document.querySelector('main').append(window.heading = document.createElement('h4'))":          "heading.remove()",
		"document.querySelector('main').append(window.twin = document.querySelector('h1').cloneNode())": "twin.remove()",
	} {
		b.value(spoil)
		if b.value(audit) == "" {
			b.t.Errorf("the audit finds nothing after %s", spoil)
		}
		b.value(restore)
	}
	if found := b.value(audit); found != "" {
		b.t.Errorf("it was not restored: %v", found)
	}
}

// keyboard tabs through a page: the skip link is first, visible, and leads past the navigation; stops are in page order and marked.
func (b *chromium) keyboard() {
	b.t.Helper()
	b.value("document.activeElement.blur(), document.body.focus()")
	b.key("Tab")
	b.until("document.activeElement.matches('a.skip') && document.activeElement.getBoundingClientRect().left >= 0")
	b.key("Enter")
	b.key("Tab")
	b.until("!!document.activeElement.closest('main')")
	b.value("window.before = document.activeElement")
	for range 3 {
		b.key("Tab")
		if b.value("!!(before.compareDocumentPosition(document.activeElement) & 4) && getComputedStyle(document.activeElement).outlineStyle !== 'none'") != true {
			b.t.Errorf("Tab leads from %v to %v", b.value("before.outerHTML.slice(0, 80)"), b.value("document.activeElement.outerHTML.slice(0, 80)"))
		}
		b.value("before = document.activeElement")
	}
}

// The sheet has no colours of its own: it uses the report's, whose TestContrast covers pages of both.
func TestColoursAreTheReports(t *testing.T) {
	sheet, err := os.ReadFile("page/console.css")
	if err != nil {
		t.Fatal(err)
	}
	if used := regexp.MustCompile(`var\(--\w+\)`).FindAll(sheet, -1); len(used) < 10 {
		t.Errorf("%d colours are the report's", len(used))
	}
	if own := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(|: (white|black|gr[ae]y)\b`).FindAllString(string(sheet), -1); len(own) > 0 {
		t.Errorf("colours of its own: %q", own)
	}
}
