"use strict";
// Shows how far a work is, once a second, and loads the page anew when it has ended.
const work = document.getElementById("work"), bar = document.getElementById("share");

// Text that has not changed is not said again.
function say(id, text) {
  const e = document.getElementById(id);
  if (e.textContent !== text) e.textContent = text;
}

// A page that is being left for another is not loaded anew, which would end that; one that the browser brings back is.
let leaving = false;
addEventListener("beforeunload", () => { leaving = true; });
addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });

// What has been found so far is on the page itself.
let shown = 0;
async function refresh(done) {
  const answer = await fetch(location.href);
  if (answer.redirected) { location.reload(); return; }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = page.getElementById("so-far");
  if (!found) return;
  document.getElementById("so-far").replaceChildren(...found.childNodes);
  shown = done;
}

async function look() {
  try {
    const answer = await fetch(work.dataset.stage);
    if (leaving) return;
    if (answer.redirected) { location.reload(); return; } // the session has ended: the page leads to signing in
    const stage = await answer.json();
    if (stage.ended) { location.reload(); return; }
    say("phase", stage.phase);
    say("of", stage.of);
    say("seconds", String(stage.seconds));
    if (stage.done !== shown) await refresh(stage.done);
    if (stage.share < 0) bar.removeAttribute("value");
    else bar.value = stage.share;
  } catch {
    say("phase", "the console does not answer: load the page again");
  }
  setTimeout(look, 1000);
}
if (work) setTimeout(look, 500);
