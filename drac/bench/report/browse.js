"use strict";
// Shows what each configuration retrieved for the query chosen; texts enter as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const place = document.getElementById("browse");

function add(parent, tag, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  parent.appendChild(made);
  return made;
}

const chooser = add(place, "select");
chooser.style.maxWidth = "100%";
data.queries.forEach((query, number) => {
  add(chooser, "option", query.id + ": " + query.text).value = number;
});
const shown = add(place, "div");

function show(query) {
  shown.replaceChildren();
  add(shown, "h3", query.text);
  add(shown, "p", [query.collection, query.kind].filter(Boolean).join(", "), "note");
  const facts = add(shown, "ul");
  query.facts.forEach((fact) => add(facts, "li", fact));
  data.configurations.forEach((name, number) => {
    const [value, hits, pages] = data.rows[number][query.id];
    const block = add(shown, "details");
    const said = value === null ? "not judged" : data.measure + " " + value.toFixed(4);
    add(block, "summary", name + ": " + said);
    if (pages.length) add(block, "p", "Pages: " + pages.join("; "), "note");
    hits.forEach(([chunk, holds], rank) => {
      const [where, text] = data.chunks[chunk];
      const one = add(block, "div", undefined, holds ? "chunk holds" : "chunk");
      add(one, "b", rank + 1 + ". " + where);
      one.appendChild(document.createTextNode(text));
    });
  });
}

chooser.addEventListener("change", () => show(data.queries[Number(chooser.value)]));
if (data.queries.length) show(data.queries[0]);
