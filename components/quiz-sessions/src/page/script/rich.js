// Texts that authors write: HTML which the service has made safe, once more without what this page has no use for.
// Images among the files of a course need more than their address: the page asks for them, and shows the bytes.
const FILE_OF_COURSE = /^\/courses\/\d+\/files\/\d+\/(preview|download)$/;
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
    if (element.tagName === "IMG" && FILE_OF_COURSE.test(element.getAttribute("src"))) {
      element.dataset.file = element.getAttribute("src");
      element.removeAttribute("src");
    }
    if (element.tagName === "A") Object.assign(element, { target: "_blank", rel: "noopener noreferrer" });
  }
  const fragment = document.createDocumentFragment();
  fragment.append(...[...body.childNodes].map((node) => document.importNode(node, true)));
  fragment.querySelectorAll("img[data-file]").forEach((image) => showFile(image, image.dataset.file));
  return fragment;
}

/** The way to the bytes of a file, which the page knows from its start on. */
let bytesOf = () => Promise.reject(new Error("there is no service yet"));

/** Shows an image of whatever address: a file of a course by its bytes. Without them its description stays. */
function showFile(image, address) {
  if (!FILE_OF_COURSE.test(address)) {
    image.src = address;
    return;
  }
  bytesOf(address).then((bytes) => { image.src = URL.createObjectURL(bytes); }, () => { image.removeAttribute("src"); });
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
