"use strict";
// Completes the name before the cursor: arrows choose, Enter or Tab takes it, Escape closes the list.
const field = document.getElementById("statement"), list = document.getElementById("suggestions");
const names = [...document.querySelectorAll("#names li")].map((e) => e.textContent);
let chosen = -1;

const word = () => /[\w$]*$/.exec(field.value.slice(0, field.selectionStart))[0];
const written = (name) => (/^[\w$]+( BY)?$/.test(name) ? name : "`" + name.replaceAll("`", "``") + "`");

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
  field.setRangeText(written(list.children[i].textContent), start, field.selectionStart, "end");
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
  const fit = names.filter((n) => n.toLowerCase().startsWith(begun) && n.toLowerCase() !== begun).slice(0, 8);
  fit.forEach((name, i) => {
    const item = document.createElement("li");
    item.id = "suggestion-" + i;
    item.setAttribute("role", "option");
    item.textContent = name;
    item.addEventListener("mousedown", (e) => { e.preventDefault(); take(i); });
    list.append(item);
  });
  list.hidden = fit.length === 0;
});
field.addEventListener("keydown", (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key === "Enter") { field.form.requestSubmit(); return; }
  if (list.hidden) return;
  if (e.key === "ArrowDown") choose(chosen + 1);
  else if (e.key === "ArrowUp") choose(chosen < 0 ? -1 : chosen - 1);
  else if (e.key === "Escape") close();
  else if ((e.key === "Enter" || e.key === "Tab") && chosen >= 0) take(chosen);
  else return;
  e.preventDefault();
});
