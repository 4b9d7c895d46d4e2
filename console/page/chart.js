"use strict";
// Says the values of a drawing under the pointer, and saves drawings as files.
const tip = document.createElement("div");
tip.id = "tip";
tip.hidden = true;
document.body.append(tip);
for (const title of document.querySelectorAll(".drawing title")) {
  title.parentNode.dataset.tip = title.textContent;
  title.remove(); // the browser would say it a second time
}
document.addEventListener("pointermove", (e) => {
  const text = e.target.closest?.("[data-tip]")?.dataset.tip;
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(e.clientX + 12, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(4, e.clientY - box.height - 10) + "px";
});

// A drawing as a file has the styles of its shapes in it.
const kept = ["fill", "fill-opacity", "stroke", "stroke-width", "font", "opacity"];
function standalone(svg) {
  const copy = svg.cloneNode(true), from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
  from.forEach((e, i) => { for (const name of kept) to[i].setAttribute(name, getComputedStyle(e).getPropertyValue(name)); });
  from.forEach((e, i) => { to[i].style.font = getComputedStyle(e).font; });
  const { width, height } = svg.viewBox.baseVal, paper = document.createElementNS(svg.namespaceURI, "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor })) paper.setAttribute(name, value);
  copy.prepend(paper);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

function save(blob, name) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

async function picture({ text, width, height }) {
  const image = new Image(), url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

const drawings = [...document.querySelectorAll(".wide .drawing")];
for (const [id, name, make] of [["as-svg", "svg", async (d) => new Blob([d.text], { type: "image/svg+xml" })], ["as-png", "png", picture]]) {
  const button = document.getElementById(id);
  if (!button || !drawings.length) continue;
  button.hidden = false;
  button.addEventListener("click", async (e) => {
    e.preventDefault();
    for (const [i, svg] of drawings.entries()) {
      const blob = await make(standalone(svg));
      button.dataset.saved = blob.size;
      save(blob, "answer" + (i ? "-" + (i + 1) : "") + "." + name);
    }
  });
}
