"use strict";
// Completes the name before the cursor: arrows choose, Enter or Tab takes it, Escape closes the list.
const field = document.getElementById("statement"), list = document.getElementById("suggestions");
const names = [...document.querySelectorAll("#names li")].map((e) => e.textContent);
let chosen = -1;

const word = () => /[\w$]*$/.exec(field.value.slice(0, field.selectionStart))[0];
const bare = (name) => name.replace(/^`(.*)`$/s, "$1").replaceAll("``", "`").toLowerCase();

function close() {
  list.hidden = true;
  list.replaceChildren();
  field.removeAttribute("aria-activedescendant");
  chosen = -1;
}

function choose(i) {
  const items = [...list.children];
  chosen = (i + items.length) % items.length;
  items.forEach((e, at) => e.setAttribute("aria-selected", String(at === chosen)));
  field.setAttribute("aria-activedescendant", items[chosen].id);
}

function take(i) {
  const start = field.selectionStart - word().length;
  field.setRangeText(list.children[i].textContent, start, field.selectionStart, "end");
  close();
  field.focus();
}

field.setAttribute("aria-controls", "suggestions");
field.setAttribute("aria-autocomplete", "list");
field.addEventListener("blur", () => setTimeout(close, 200));
field.addEventListener("input", () => {
  close();
  const begun = word().toLowerCase();
  if (begun.length < 2) return;
  const fit = names.filter((n) => bare(n).startsWith(begun) && bare(n) !== begun).slice(0, 8);
  fit.forEach((name, i) => {
    const item = document.createElement("li");
    item.id = "suggestion-" + i;
    item.setAttribute("role", "option");
    item.textContent = name;
    item.addEventListener("mousedown", (e) => { e.preventDefault(); take(i); });
    list.append(item);
  });
  list.hidden = fit.length === 0;
  if (fit.length) place();
});
field.addEventListener("keydown", (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key === "Enter") { field.form.requestSubmit(document.getElementById("ask")); return; }
  if (list.hidden) return;
  if (e.key === "ArrowDown") choose(chosen + 1);
  else if (e.key === "ArrowUp") choose(chosen < 0 ? -1 : chosen - 1);
  else if (e.key === "Escape") close();
  else if ((e.key === "Enter" || e.key === "Tab") && chosen >= 0) take(chosen);
  else return;
  e.preventDefault();
});

// The list stands below the cursor: a copy of the field says where that is.
function place() {
  const copy = document.createElement("div"), style = getComputedStyle(field), mark = document.createElement("span");
  for (const name of ["font", "padding", "border", "boxSizing", "lineHeight", "letterSpacing", "tabSize"]) copy.style[name] = style[name];
  Object.assign(copy.style, { position: "absolute", visibility: "hidden", top: "0", left: "0", whiteSpace: "pre-wrap", overflowWrap: "break-word", width: field.offsetWidth + "px" });
  copy.append(field.value.slice(0, field.selectionStart - word().length), mark);
  mark.textContent = "x";
  field.parentNode.append(copy);
  const { offsetLeft, offsetTop, offsetHeight } = mark;
  copy.remove();
  list.style.left = Math.max(0, Math.min(offsetLeft, field.offsetWidth - 200)) + "px";
  list.style.top = offsetTop - field.scrollTop + offsetHeight + 4 + "px";
}

// What is chosen is written as SQL at once. The server writes it, so that there is one way to.
const form = field.form, stop = document.getElementById("stop"), compose = document.getElementById("compose");
if (compose) {
  compose.closest("p").hidden = true;
  const doubt = document.getElementById("doubt");
  let turn = 0, whole = false, ended = false; // an answer to earlier fields comes too late; whole: the fields are those of another release
  let writing = null, agrees = true; // whether the SQL is that of the fields; a promise while it is not known
  const write = (all) => {
    const mine = ++turn;
    whole ||= all;
    document.querySelector("main > p.verdict")?.remove(); // it was about other fields
    writing = written().catch(() => false).then((done) => {
      if (mine !== turn) return;
      writing = null;
      agrees = done;
      if (!done && ended) doubt.textContent = "Your session has ended, and what you have chosen is not in the SQL: copy the SQL, and sign in again.";
      else if (!done) doubt.textContent = "What you have chosen is not in the SQL: the server did not write it. Choose again, or write the SQL yourself.";
    });
    async function written() {
      const answer = await fetch(compose.formAction, { method: "POST", body: composed() });
      if (mine !== turn) return false;
      ended = answer.status === 401;
      if (!answer.ok) return false;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html"), active = document.activeElement?.id;
      const fields = page.getElementById("builder"), sql = page.getElementById("statement");
      if (mine !== turn || !fields || !sql) return false;
      if (whole) { // another release has other columns
        document.getElementById("builder").replaceChildren(...fields.childNodes);
        document.getElementById("compose").closest("p").hidden = true;
        if (active) document.getElementById(active)?.focus();
        whole = false;
      } else document.getElementById("of").value = page.getElementById("of").value;
      field.value = sql.value;
      doubt.textContent = page.querySelector("p.verdict")?.textContent ?? "";
      return true;
    }
  };
  const composed = () => { const all = new URLSearchParams(new FormData(form)); all.delete("statement"); return all; };
  form.addEventListener("change", (e) => { if (e.target.closest("#builder")) write(e.target.id === "release"); });
  form.addEventListener("keydown", (e) => { if (e.key === "Enter" && e.target.matches("#builder input")) { e.preventDefault(); write(false); form.requestSubmit(document.getElementById("ask")); } });
  form.addEventListener("submit", async (e) => { // whoever asks, or saves, means what is chosen
    if (!writing || e.submitter === stop) return;
    e.preventDefault();
    e.stopImmediatePropagation();
    while (writing) await writing;
    if (agrees) form.requestSubmit(e.submitter);
  });
}
form.addEventListener("submit", (e) => { if (e.submitter?.id === "ask" || !e.submitter) setTimeout(() => { stop.hidden = false; }, 300); });
document.getElementById("link")?.addEventListener("click", async (e) => {
  if (!navigator.clipboard) return;
  e.preventDefault();
  await navigator.clipboard.writeText(e.target.href).then(() => { e.target.textContent = "Copied"; }, () => { location.href = e.target.href; });
});
