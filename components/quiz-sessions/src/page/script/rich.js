// Texts that authors write: HTML which the service has made safe, once more without what this page has no use for.
const UNWANTED = "script, style, link, meta, base, form, input, button, select, textarea, object, embed";

/** The elements of a rich text. `keepId` says which ids stay: others could be taken for ours. */
function rich(html, keepId = () => false) {
  const { body } = new DOMParser().parseFromString(html ?? "", "text/html");
  body.querySelectorAll(UNWANTED).forEach((element) => element.remove());
  for (const element of body.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      const isOurs = (name === "id" && !keepId(value)) || name === "name" || name === "style" || name.startsWith("on");
      const isProgram = /^\s*javascript:/i.test(value);
      if (isOurs || isProgram) element.removeAttribute(name);
    }
    if (element.tagName === "A") Object.assign(element, { target: "_blank", rel: "noopener noreferrer" });
  }
  const fragment = document.createDocumentFragment();
  fragment.append(...[...body.childNodes].map((node) => document.importNode(node, true)));
  return fragment;
}

/** The words of a rich text, for where there is no room for more, such as in the options of a list. */
function plain(html) {
  const { body } = new DOMParser().parseFromString(html ?? "", "text/html");
  for (const image of body.querySelectorAll("img")) image.replaceWith(image.alt);
  return body.textContent.replace(/\s+/g, " ").trim();
}

/** The paragraphs that somebody typed, as HTML, and back. */
function paragraphs(text) {
  const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const blocks = escaped.split(/\n{2,}/).map((block) => `<p>${block.replace(/\n/g, "<br>")}</p>`);
  return text.trim() === "" ? null : blocks.join("");
}

function typedText(html) {
  const { body } = new DOMParser().parseFromString(html ?? "", "text/html");
  body.querySelectorAll("br").forEach((line) => line.replaceWith("\n"));
  const blocks = [...body.querySelectorAll("p, div, li, h1, h2, h3, h4, h5, h6, blockquote, pre")];
  const innermost = blocks.filter((block) => !blocks.some((other) => other !== block && block.contains(other)));
  return innermost.length === 0 ? body.textContent : innermost.map((block) => block.textContent).join("\n\n");
}
