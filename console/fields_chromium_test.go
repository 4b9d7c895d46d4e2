package console_test

import (
	"fmt"
	"testing"
)

// A question right after a choice uses the chosen condition. The page shows doubts about it, and where it could not be written.
func TestFieldsInChromium(t *testing.T) {
	b := openChromium(t)
	people := hostileTable()
	people.column = "groups"
	address := serve(t, people)
	b.call("Page.navigate", map[string]any{"url": "http://" + address + "/ask"})
	b.until("document.readyState === 'complete' && !!document.querySelector('#account')")
	b.value("document.querySelector('#account').value = 'root'")
	b.press("main button", "Releases")
	b.press("a[href='/ask']", "Ask")
	b.value(chosen("age", ">=", "40") + `; window.old = true; document.querySelector("#ask").click()`)
	b.until("!window.old && document.readyState === 'complete' && document.querySelector('#answer') !== null && document.querySelector('#statement').value.includes('age >= 40')")
	b.value("document.querySelector('#value-0').focus(), document.querySelector('#value-0').value = '30'")
	b.value("window.old = true")
	b.key("Enter")
	b.until("!window.old && document.readyState === 'complete' && document.querySelector('#statement').value.includes('age >= 30')")

	b.value(chosen("age", "=", "many"))
	b.until("document.querySelector('#doubt').textContent.includes('age has numbers') && document.querySelector('#statement').value.includes(\"'many'\")")
	b.value(chosen("age", "=", "30"))
	b.until("document.querySelector('#doubt').textContent === ''")

	b.value("window.fetches = window.fetch, window.fetch = () => Promise.reject(new TypeError('no network')), window.stays = true")
	b.value(chosen("age", "=", "50") + `; document.querySelector("#ask").click()`)
	b.until("document.querySelector('#doubt').textContent.includes('not in the SQL')")
	if b.value("window.stays && document.querySelector('#statement').value.includes('age = 30')") != true {
		t.Error("a statement was asked that is not that of the fields")
	}
	b.value("window.fetch = window.fetches")
	b.value(chosen("age", "=", "60") + `; window.old = true; document.querySelector("#ask").click()`)
	b.until("!window.old && document.readyState === 'complete' && document.querySelector('#statement').value.includes('age = 60')")

	b.value("document.querySelector('#statement').value = '', document.querySelector('#statement').focus()")
	b.call("Input.insertText", map[string]any{"text": "SELECT gro"})
	b.until("document.querySelector('#suggestions').textContent.includes('`groups`')") // a word of the parser's
	b.key("ArrowDown")                                                                 // GROUP BY
	b.key("ArrowDown")
	b.key("Tab")
	b.until("document.querySelector('#statement').value === 'SELECT `groups`'")

	// The session ends elsewhere.
	b.value("window.left = fetch('/sign-out', { method: 'POST', body: new URLSearchParams(new FormData(document.querySelector('form[action=\"/sign-out\"]'))) }).then(() => { window.out = true })")
	b.until("window.out === true")
	b.value(chosen("age", "=", "70"))
	b.until("document.querySelector('#doubt').textContent.includes('Your session has ended') && document.querySelector('#statement').value === 'SELECT `groups`'")
}

// chosen simulates a user who chooses a condition: the value has changed at the next click.
func chosen(column, operator, value string) string {
	return fmt.Sprintf(`document.querySelector("#where-0").value = %q; document.querySelector("#operator-0").value = %q; document.querySelector("#value-0").value = %q;
		document.querySelector("#value-0").dispatchEvent(new Event("change", { bubbles: true }))`, column, operator, value)
}
